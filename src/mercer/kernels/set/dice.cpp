#include "mercer/kernels/set/dice.h"

#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/overlap_node.h"

namespace mercer {

namespace {

class DiceNode final : public OverlapNode {
 public:
  using OverlapNode::OverlapNode;

 protected:
  void profile(std::span<double> s, double a, const double* b) const override {
    for (std::size_t j = 0; j < s.size(); ++j) {
      s[j] = a + b[j] > 0 ? 2 * s[j] / (a + b[j]) : 1.0;
    }
  }
};

}  // namespace

const KernelEntry& dice_entry() {
  static const KernelEntry entry{
      .name = "dice",
      .aliases = {"sorensen"},
      .formula = "2 |A n B| / (|A| + |B|); for vectors 2 <x,y> / (|x|^2 + |y|^2); 1 where both are empty",
      .summary = "what two sets share in proportion to their mean size; takes vectors, too",
      .definiteness = "positive definite",
      .input = KernelInput::sets,
      .make = make_node<DiceNode>,
      .examples = {"dice()", "0.5*dice() + tanimoto()", "normalize(dice())"}};
  return entry;
}

}  // namespace mercer
