#include "mercer/kernels/string/blended_spectrum.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/kmer_node.h"

namespace mercer {

namespace {

constexpr std::size_t most_blended_lengths = 1000;

std::vector<double> blended_weights(const KernelEntry& entry, const ParameterList& parameters) {
  const Parameter* listed = parameters.find("weights");
  if (listed == nullptr) {
    const std::size_t lengths = length_of(parameters, "k", 3);
    const double decay = decay_of(entry.name, parameters, 1);
    if (lengths > most_blended_lengths) {
      throw InvalidArgument(entry.name + ": k = " + std::to_string(lengths) + ": must be at most " +
                            std::to_string(most_blended_lengths) +
                            ", for a string has k features a symbol; all_substrings takes any length in linear time");
    }
    std::vector<double> weights(lengths);
    for (std::size_t n = 0; n < lengths; ++n) {
      weights[n] = std::pow(decay, static_cast<double>(n + 1));
    }
    return weights;
  }
  const std::vector<double>& weights = listed->value.numbers;
  if (parameters.has("decay")) {
    throw InvalidArgument(entry.name + ": decay and weights both say what a length counts; give one of them");
  }
  if (parameters.has("k") && parameters.number_or("k", 3) != static_cast<double>(weights.size())) {
    throw InvalidArgument(entry.name + ": weights are " + std::to_string(weights.size()) +
                          " numbers, one for each length from 1 on, but k says otherwise; leave k out");
  }
  return weights;
}

class BlendedSpectrumNode final : public KmerNode {
 public:
  BlendedSpectrumNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> /*children*/)
      : KmerNode(entry, parameters, kmers_of(entry, parameters)) {}

 private:
  static std::vector<WeightedKmers> kmers_of(const KernelEntry& entry, const ParameterList& parameters) {
    const Alphabet alphabet(parameters);
    const Strands strands = strands_of(entry.name, parameters, alphabet);
    std::vector<WeightedKmers> parts;
    for (const double weight : blended_weights(entry, parameters)) {
      parts.push_back({Kmers(alphabet, parts.size() + 1, strands), weight});
    }
    return parts;
  }
};

}  // namespace

const KernelEntry& blended_spectrum_entry() {
  static const KernelEntry entry{
      .name = "blended_spectrum",
      .formula = "sum over n = 1..k of decay^n sum over strings s of length n of count_s(x) count_s(y)",
      .summary = "substrings of every length up to k, each length with its weight",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "k",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .meaning = "greatest length of the substrings (default 3, or the number of weights)"},
                     {.name = "decay",
                      .aliases = {"lambda"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive,
                      .meaning = "weight of one more symbol, at most 1 (default 1: every length counts alike)"},
                     {.name = "weights",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .meaning = "weight of each length 1, 2, ..., instead of decay",
                      .may_be_list = true},
                     alphabet_parameter(),
                     strands_parameter(),
                     counting_parameter()},
      .make = make_node<BlendedSpectrumNode>,
      .examples = {"blended_spectrum(k=3, decay=0.5)", "normalize(blended_spectrum(k=2))",
                   "blended_spectrum(weights=[0, 1, 0.5], alphabet=dna, reverse_complement=yes)"}};
  return entry;
}

}  // namespace mercer
