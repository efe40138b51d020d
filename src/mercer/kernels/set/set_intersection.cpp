#include "mercer/kernels/set/set_intersection.h"

#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/set_samples.h"

namespace mercer {

namespace {

class SetIntersectionNode final : public ExplicitNode {
 public:
  using ExplicitNode::ExplicitNode;

  void check(const Samples& samples) const override { require_sets(entry().name, samples); }
  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    for (const std::int32_t member : samples.as<SetRows>()[i]) {
      out.add(static_cast<std::uint64_t>(member), 1.0);
    }
  }
  std::string feature_name(const Samples& /*samples*/, Index /*i*/, std::uint64_t key) const override {
    return std::to_string(key);
  }
};

}  // namespace

const KernelEntry& set_intersection_entry() {
  static const KernelEntry entry{
      .name = "set_intersection",
      .formula = "|A n B|",
      .summary = "how many members two sets share",
      .definiteness = "positive definite",
      .input = KernelInput::sets,
      .make = make_node<SetIntersectionNode>,
      .examples = {"set_intersection()", "normalize(set_intersection())", "rbf_of(set_intersection(), gamma=0.2)"}};
  return entry;
}

}  // namespace mercer
