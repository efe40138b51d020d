#include "mercer/kernels/set/tanimoto.h"

#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/overlap_node.h"

namespace mercer {

namespace {

class TanimotoNode final : public OverlapNode {
 public:
  using OverlapNode::OverlapNode;

 protected:
  void profile(std::span<double> s, double a, const double* b) const override {
    for (std::size_t j = 0; j < s.size(); ++j) {
      const double both = a + b[j] - s[j];
      s[j] = both > 0 ? s[j] / both : 1.0;
    }
  }
};

}  // namespace

const KernelEntry& tanimoto_entry() {
  static const KernelEntry entry{
      .name = "tanimoto",
      .aliases = {"jaccard"},
      .formula = "|A n B| / |A u B|; for vectors <x,y> / (|x|^2 + |y|^2 - <x,y>); 1 where both are empty",
      .summary =
          "what two sets share in proportion to what they hold together (fingerprints, tags); takes vectors, too",
      .definiteness = "positive definite",
      .input = KernelInput::sets,
      .make = make_node<TanimotoNode>,
      .examples = {"tanimoto()", "tanimoto()^2", "normalize(tanimoto())"}};
  return entry;
}

}  // namespace mercer
