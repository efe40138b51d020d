#include "mercer/kernels/string/spectrum.h"

#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/kmer_node.h"

namespace mercer {

namespace {

class SpectrumNode final : public KmerNode {
 public:
  SpectrumNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> /*children*/)
      : KmerNode(entry, parameters, kmers_of(entry, parameters)) {}

 private:
  static std::vector<WeightedKmers> kmers_of(const KernelEntry& entry, const ParameterList& parameters) {
    const Alphabet alphabet(parameters);
    return {{Kmers(alphabet, length_of(parameters, "k", 3), strands_of(entry.name, parameters, alphabet))}};
  }
};

}  // namespace

const KernelEntry& spectrum_entry() {
  static const KernelEntry entry{
      .name = "spectrum",
      .formula = "sum over strings s of length k of count_s(x) count_s(y)",
      .summary = "substrings of one length, with their numbers of occurrences",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "k",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "3",
                      .meaning = "length of the substrings"},
                     alphabet_parameter(),
                     strands_parameter(),
                     counting_parameter()},
      .make = make_node<SpectrumNode>,
      .examples = {"spectrum(k=2)", "normalize(spectrum(k=1))", "spectrum(k=3, alphabet=dna, reverse_complement=yes)",
                   "spectrum(k=9, counts=presence)", "spectrum(k=1, alphabet=words)"}};
  return entry;
}

}  // namespace mercer
