#include "mercer/kernels/generative/hmm_pair.h"

#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/generative/hidden_markov_parameters.h"
#include "mercer/kernels/nodes/object_node.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

struct EncodedEmissions {
  Index length = 0;
  std::vector<std::int16_t> codes;   // string after string
  std::vector<double> log_diagonal;  // ln k(x, x), where values are normalised

  Index size() const { return static_cast<Index>(log_diagonal.size()); }
  const std::int16_t* of(Index i) const { return codes.data() + i * length; }
};

class HmmPairNode final : public ObjectNode<EncodedEmissions> {
 public:
  HmmPairNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        model_(given_hidden_markov(*this)),
        normalized_(this->parameters().word("values") == "normalized") {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    if (parameters().resolved()) {
      return KernelNode::resolved(all, run);
    }
    const Samples strings = default_columns(all.samples);
    require_strings(entry().name, strings);
    return rebuilt(with_hidden_markov(*this, strings, run), {});
  }

 protected:
  EncodedEmissions encode(const Samples& samples, const EncodedEmissions* reference, const Run& run) const override {
    require_strings(entry().name, samples);
    require_passable(*this, samples, model_.states());
    EncodedEmissions encoded;
    encoded.length = common_length(entry().name, samples);
    if (reference != nullptr && reference->size() > 0 && samples.size() > 0 && encoded.length != reference->length) {
      throw DataError(entry().name + " compares strings of one length: the training strings have " +
                      std::to_string(reference->length) + " symbols, these " + std::to_string(encoded.length));
    }
    for (Index i = 0; i < samples.size(); ++i) {
      for (const char symbol : string_at(samples, i)) {
        encoded.codes.push_back(static_cast<std::int16_t>(model_.alphabet().code(symbol)));
      }
    }
    encoded.log_diagonal.assign(samples.size(), 0.0);
    if (normalized_) {
      parallel_for(run, samples.size(),
                   [&](Index i) { encoded.log_diagonal[i] = log_value(encoded.of(i), encoded.of(i), encoded.length); });
    }
    return encoded;
  }

  double value(const EncodedEmissions& x, Index i, const EncodedEmissions& y, Index j) const override {
    const double own = 0.5 * (x.log_diagonal[i] + y.log_diagonal[j]);
    if (own == -HUGE_VAL) {
      return 0;  // an impossible string
    }
    return std::exp(log_value(x.of(i), y.of(j), x.length) - own);
  }

 private:
  double log_value(const std::int16_t* x, const std::int16_t* y, Index length) const {
    const auto s = static_cast<std::size_t>(model_.states());
    std::vector<double> last = model_.initial();
    std::vector<double> next(s);
    double sum = 0;
    for (Index t = 0; t < length; ++t) {
      if (t > 0) {
        std::fill(next.begin(), next.end(), 0.0);
        for (std::size_t i = 0; i < s; ++i) {
          for (std::size_t j = 0; j < s; ++j) {
            next[j] += last[i] * model_.transitions()[i * s + j];
          }
        }
        last.swap(next);
      }
      double scale = 0;
      for (std::size_t j = 0; j < s; ++j) {
        last[j] *= model_.emission(j, x[t]) * model_.emission(j, y[t]);
        scale += last[j];
      }
      if (!(scale > 0)) {
        return -HUGE_VAL;
      }
      for (double& value : last) {
        value /= scale;
      }
      sum += std::log(scale);
    }
    return sum;
  }

  HiddenMarkov model_;
  bool normalized_;
};

}  // namespace

const KernelEntry& hmm_pair_entry() {
  static const KernelEntry entry{
      .name = "hmm_pair",
      .aliases = {"pair_hmm"},
      .formula = "sum over hidden paths z of p(x|z) p(y|z) p(z), over sqrt(k(x,x) k(y,y))",
      .summary = "strings of one length as emissions of one hidden path of a Markov model fitted by EM",
      .definiteness = "positive definite",
      .input = KernelInput::aligned_strings,
      .parameters = hidden_markov_specs({{.name = "values",
                                          .role = ParameterRole::word,
                                          .default_text = "normalized",
                                          .meaning = "normalized, or probability: not divided by the root of k(x,x) "
                                                     "k(y,y), 0 below 1e-308",
                                          .words = {"normalized", "probability"}}}),
      .make = make_node<HmmPairNode>,
      .examples = {
          "hmm_pair(states=2, symbols=[65, 67, 71, 84], initial=[0.6, 0.4], transitions=[0.9, 0.1, 0.2, 0.8], "
          "emissions=[0.4, 0.1, 0.1, 0.4, 0.1, 0.4, 0.3, 0.2])",
          "hmm_pair(states=2, symbols=[65, 67, 71], initial=1, transitions=[0.9, 0.1, 0.2, 0.8], emissions=[0.4, "
          "0.1, 0.5, 0.1, 0.4, 0.5], values=probability)",
          "normalize(hmm_pair(states=1, symbols=[65, 67, 71, 84], initial=1, transitions=1, emissions=[1, 2, 3, "
          "4]))"}};
  return entry;
}

}  // namespace mercer
