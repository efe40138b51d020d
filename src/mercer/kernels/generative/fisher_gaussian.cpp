#include "mercer/kernels/generative/fisher_gaussian.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/generative/gaussian_mixture_fit.h"
#include "mercer/kernels/generative/information.h"
#include "mercer/kernels/generative/mixture_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr Index bags_per_score_block = 64;
constexpr std::uint64_t information_stream = 0x696e666f726d;

// Scores of all samples; those of the points of a bag add up.
Matrix<double> mixture_scores(const GaussianMixture& mixture, const PointBags& bags, ScoreUnits units, const Run& run) {
  Matrix<double> scores = Matrix<double>::filled(bags.size(), mixture.score_size(), 0.0);
  parallel_for(run, block_count(bags.size(), bags_per_score_block), [&](Index b) {
    const IndexRange range = block_range(bags.size(), bags_per_score_block, b);
    for (Index i = range.begin; i < range.end; ++i) {
      for (Index p = bags.offsets[i]; p < bags.offsets[i + 1]; ++p) {
        mixture.add_score(bags.point(p), units, scores.view().row(i));
      }
    }
  });
  return scores;
}

// E[VVᵀ] from draws of the model itself, in the units of the complete information, where its diagonal is of order 1.
Matrix<double> simulated_information(const GaussianMixture& mixture, const Run& run) {
  const Index draws = std::clamp<Index>(50 * mixture.score_size(), 5000, 50000);
  PointBags drawn;
  drawn.points = Matrix<double>(draws, mixture.dimension());
  RandomStream random(0, information_stream);
  for (Index i = 0; i < draws; ++i) {
    mixture.draw(random, drawn.points.view().row(i));
    drawn.offsets.push_back(i + 1);
  }
  return mean_outer_product(mixture_scores(mixture, drawn, ScoreUnits::information, run).view(), run);
}

class FisherGaussianMixtureNode final : public MixtureNode {
 public:
  FisherGaussianMixtureNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : MixtureNode(entry, std::move(parameters), std::move(children)),
        information_(this->parameters().word("information")) {}

  bool depends_on_reference() const override { return information_ == "sample"; }

 protected:
  Matrix<double> features(const KernelPreparation& preparation) const override {
    const Samples& samples = preparation.target().samples();
    const Run& run = preparation.run();
    return mixture_scores(mixture(), model_bags(samples),
                          information_ == "plain" ? ScoreUnits::parameters : ScoreUnits::information, run);
  }
  std::shared_ptr<const Matrix<double>> rotation(ConstMatrixView<double> reference, const Run& run) const override {
    if (information_ == "plain" || information_ == "complete") {
      return nullptr;
    }
    require_dense_information(entry().name, mixture().score_size(),
                              "take information=complete, fewer components or fewer columns");
    return std::make_shared<const Matrix<double>>(
        information_ == "sample"
            ? inverse_root(mean_outer_product(reference, run), parameters().number_or("ridge", 0), run)
            : inverse_root(simulated_information(mixture(), run), 0, run));
  }

 private:
  std::string information_;
};

// θ = (μ, σ) of every column: a mixture of one, without its weight.
class FisherGaussianNode final : public DenseFeaturesNode {
 public:
  FisherGaussianNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DenseFeaturesNode(entry, std::move(parameters), std::move(children)),
        information_(this->parameters().word("information")) {
    wait_for_data(*this, {"means", "deviations"});
  }

  bool depends_on_reference() const override { return information_ == "sample"; }

  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    if (!waits_for_data(*this, "means")) {
      return KernelNode::resolved(all, run);
    }
    const PointBags bags = point_bags(entry().name, default_columns(all.samples));
    require_storable(*this, 2 * static_cast<double>(bags.dimension()), "choose fewer columns with a subscript");
    const MixtureFit fit =
        fit_gaussian_mixture(bags.points.view(), {.components = 1, .weights = point_weights(bags, all.weights)}, run);
    std::vector<double> deviations;
    for (const double variance : fit.model.variances()) {
      deviations.push_back(std::sqrt(variance));
    }
    if (deviations.empty()) {
      return rebuilt(
          parameters().with("means", ParameterValue::number(0)).with("deviations", ParameterValue::number(1)), {});
    }
    return rebuilt(parameters()
                       .with("means", fitted_numbers(*this, fit.model.means()))
                       .with("deviations", fitted_numbers(*this, deviations)),
                   {});
  }

 protected:
  Matrix<double> features(const KernelPreparation& preparation) const override {
    const Samples& samples = preparation.target().samples();
    const Run& run = preparation.run();
    const PointBags bags = point_bags(entry().name, samples);
    const Index d = model_dimension(bags.dimension());
    require_dimension(entry().name, bags, d);
    std::vector<double> variances = model_numbers(*this, "deviations", d);
    for (double& value : variances) {
      value *= value;
    }
    const GaussianMixture model({1.0}, model_numbers(*this, "means", d), std::move(variances));
    const Matrix<double> scores =
        mixture_scores(model, bags, information_ == "plain" ? ScoreUnits::parameters : ScoreUnits::information, run);
    // The weight of the only component is no parameter: its score, 0, is left out.
    return scores.rows() == 0 ? Matrix<double>(0, 2 * d)
                              : Matrix<double>::copy_of(scores.view().block(0, 1, scores.rows(), 2 * d));
  }
  std::shared_ptr<const Matrix<double>> rotation(ConstMatrixView<double> reference, const Run& run) const override {
    if (information_ != "sample") {
      return nullptr;
    }
    require_dense_information(entry().name, reference.columns(), "take information=fisher or fewer columns");
    return std::make_shared<const Matrix<double>>(
        inverse_root(mean_outer_product(reference, run), parameters().number_or("ridge", 0), run));
  }

 private:
  // Single numbers stand for any number of columns.
  Index model_dimension(Index columns) const {
    for (const char* name : {"means", "deviations"}) {
      if (parameters().find(name)->value.is_list) {
        return static_cast<Index>(parameters().numbers(name).size());
      }
    }
    return columns;
  }

  std::string information_;
};

}  // namespace

const KernelEntry& fisher_gaussian_entry() {
  static const KernelEntry entry{
      .name = "fisher_gaussian",
      .formula = "sum over columns of z z' + (z^2 - 1)(z'^2 - 1)/2, z = (x - mean)/deviation",
      .summary = "Fisher kernel of a Gaussian with independent columns, on vectors and bags of vectors",
      .definiteness = "positive definite",
      .parameters = {fitted_spec("means", "mean of every column; auto: those of the training samples", Constraint::any),
                     fitted_spec("deviations",
                                 "standard deviation of every column; auto: those of the training samples",
                                 Constraint::positive),
                     information_spec({"fisher", "plain", "sample"}), ridge_spec()},
      .make = make_node<FisherGaussianNode>,
      .examples = {"fisher_gaussian(means=0.1, deviations=1.2)",
                   "fisher_gaussian(means=[0, 0.5, -1], deviations=[1, 2, 0.5], information=plain)",
                   "fisher_gaussian(means=0, deviations=1, information=sample)",
                   "normalize(fisher_gaussian(means=[0.2, 0, 0], deviations=1.5))"}};
  return entry;
}

const KernelEntry& fisher_gaussian_mixture_entry() {
  static const KernelEntry entry{
      .name = "fisher_gaussian_mixture",
      .aliases = {"fisher_vector"},
      .formula = "V(x)' M^-1 V(y), V the gradient of the log-density by logits of weights, means and deviations",
      .summary = "Fisher kernel of a mixture of Gaussians fitted by EM, on vectors and bags of vectors",
      .definiteness = "positive definite",
      .parameters = mixture_specs("3", {information_spec({"complete", "fisher", "plain", "sample"}), ridge_spec()}),
      .make = make_node<FisherGaussianMixtureNode>,
      .examples = {
          "fisher_gaussian_mixture(components=2, weights=[0.3, 0.7], means=[-1, 0, 0, 1, 0.5, 0], variances=0.8)",
          "fisher_gaussian_mixture(components=2, weights=1, means=[-1, 0, 0, 1, 0.5, 0], variances=[1, 1, 2, 0.5, 1, "
          "1], information=fisher)",
          "fisher_gaussian_mixture(components=1, weights=1, means=[0, 0, 0], variances=1, information=sample)",
          "normalize(fisher_gaussian_mixture(components=2, weights=1, means=[-1, 0, 0, 1, 0.5, 0], variances=1, "
          "information=plain))"}};
  return entry;
}

}  // namespace mercer
