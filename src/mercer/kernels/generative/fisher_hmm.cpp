#include "mercer/kernels/generative/fisher_hmm.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/generative/hidden_markov_parameters.h"
#include "mercer/kernels/generative/information.h"
#include "mercer/kernels/nodes/dense_features_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

double mean_string_length(const Samples& strings) {
  double sum = 0;
  for (Index i = 0; i < strings.size(); ++i) {
    sum += static_cast<double>(string_at(strings, i).size());
  }
  return strings.size() == 0 ? 1.0 : std::max(1.0, sum / static_cast<double>(strings.size()));
}

constexpr std::uint64_t hmm_information_stream = 0x686d6d;
constexpr double longest_drawn_string = 500;

// Scores in units of `roots`; without roots, as they are.
void write_score(const HiddenMarkov& model, std::string_view text, std::span<const double> roots,
                 std::span<double> score, const Run& run) {
  model.add_score(text, score, run);
  for (std::size_t j = 0; j < roots.size(); ++j) {
    score[j] = roots[j] > 1e-8 ? score[j] / roots[j] : 0.0;
  }
}

// E[VVᵀ] in the units of the complete information, where its diagonal is of order 1 for any length.
Matrix<double> drawn_information(const HiddenMarkov& model, double length, const Run& run) {
  const Index draws = std::clamp<Index>(50 * model.score_size(), 2000, 20000);
  const double rounded = std::round(std::min(length, longest_drawn_string));
  const std::vector<double> roots = model.information_roots(rounded);
  Matrix<double> scores = Matrix<double>::filled(draws, model.score_size(), 0.0);
  parallel_for(run, draws, [&](Index i) {
    RandomStream random(static_cast<std::uint64_t>(i), hmm_information_stream);
    write_score(model, model.draw(random, static_cast<Index>(rounded)), roots, scores.view().row(i), run);
  });
  return mean_outer_product(scores.view(), run);
}

class FisherHmmNode final : public DenseFeaturesNode {
 public:
  FisherHmmNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DenseFeaturesNode(entry, std::move(parameters), std::move(children)),
        model_(given_hidden_markov(*this)),
        information_(this->parameters().word("information")) {
    waits_for_data(*this, "length");
  }

  bool depends_on_reference() const override { return information_ == "sample"; }

  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    if (parameters().resolved()) {
      return KernelNode::resolved(all, run);
    }
    const Samples strings = default_columns(all.samples);
    require_strings(entry().name, strings);
    ParameterList parameters = with_hidden_markov(*this, strings, run);
    if (waits_for_data(*this, "length")) {
      parameters = parameters.with("length", fitted_number(*this, mean_string_length(strings)));
    }
    return rebuilt(std::move(parameters), {});
  }

 protected:
  Matrix<double> features(const KernelPreparation& preparation) const override {
    const Samples& samples = preparation.target().samples();
    const Run& run = preparation.run();
    require_strings(entry().name, samples);
    require_passable(*this, samples, model_.states());
    std::vector<double> roots;
    if (information_ != "plain") {
      roots = model_.information_roots(length());
    }
    Matrix<double> scores = Matrix<double>::filled(samples.size(), model_.score_size(), 0.0);
    parallel_for(run, samples.size(),
                 [&](Index i) { write_score(model_, string_at(samples, i), roots, scores.view().row(i), run); });
    return scores;
  }
  std::shared_ptr<const Matrix<double>> rotation(ConstMatrixView<double> reference, const Run& run) const override {
    if (information_ == "plain" || information_ == "complete") {
      return nullptr;
    }
    require_dense_information(entry().name, reference.columns(), "take information=complete or fewer states");
    return std::make_shared<const Matrix<double>>(
        information_ == "sample"
            ? inverse_root(mean_outer_product(reference, run), parameters().number_or("ridge", 0), run)
            : inverse_root(drawn_information(model_, length(), run), 0, run));
  }

 private:
  double length() const { return model_numbers(*this, "length", 1)[0]; }

  HiddenMarkov model_;
  std::string information_;
};

}  // namespace

const KernelEntry& fisher_hmm_entry() {
  static const KernelEntry entry{
      .name = "fisher_hmm",
      .formula = "V(x)' M^-1 V(y), V the gradient of the log-probability by the logits of all probabilities",
      .summary = "Fisher kernel of a hidden Markov model fitted to the strings by EM",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = hidden_markov_specs(
          {fitted_spec("length", "mean length of the strings; auto: of the training strings", Constraint::positive),
           information_spec({"complete", "fisher", "plain", "sample"}), ridge_spec()}),
      .make = make_node<FisherHmmNode>,
      .examples = {
          "fisher_hmm(states=2, symbols=[65, 67, 71, 84], initial=[0.6, 0.4], transitions=[0.9, 0.1, 0.2, 0.8], "
          "emissions=[0.4, 0.1, 0.1, 0.4, 0.1, 0.4, 0.3, 0.2], length=7)",
          "fisher_hmm(states=2, symbols=[65, 67, 71], initial=1, transitions=[0.9, 0.1, 0.2, 0.8], emissions=[0.4, "
          "0.1, 0.5, 0.1, 0.4, 0.5], length=7, information=plain)",
          "fisher_hmm(states=1, symbols=[65, 67, 71, 84], initial=1, transitions=1, emissions=1, length=7, "
          "information=sample)",
          "normalize(fisher_hmm(states=2, symbols=[65, 67, 71, 84], initial=1, transitions=[0.9, 0.1, 0.2, 0.8], "
          "emissions=[0.4, 0.1, 0.1, 0.4, 0.1, 0.4, 0.3, 0.2], length=7))"}};
  return entry;
}

}  // namespace mercer
