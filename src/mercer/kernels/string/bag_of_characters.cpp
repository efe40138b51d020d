#include "mercer/kernels/string/bag_of_characters.h"

#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/kmer_node.h"

namespace mercer {

namespace {

class BagOfCharactersNode final : public KmerNode {
 public:
  BagOfCharactersNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> /*children*/)
      : KmerNode(entry, parameters, {{Kmers(Alphabet(parameters), 1, Strands::one)}}) {}
};

}  // namespace

const KernelEntry& bag_of_characters_entry() {
  static const KernelEntry entry{
      .name = "bag_of_characters",
      .formula = "sum over characters c of count_c(x) count_c(y)",
      .summary = "single characters, with their numbers of occurrences; their order does not matter",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {alphabet_parameter({"bytes", "dna", "protein"}), counting_parameter()},
      .make = make_node<BagOfCharactersNode>,
      .examples = {"bag_of_characters()", "normalize(bag_of_characters(alphabet=protein, counts=presence))"}};
  return entry;
}

}  // namespace mercer
