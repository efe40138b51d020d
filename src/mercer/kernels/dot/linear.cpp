#include "mercer/kernels/dot/linear.h"

#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class LinearNode final : public DotNode {
 public:
  using DotNode::DotNode;
  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  void profile(std::span<float> /*t*/, float /*a*/, std::span<const float> /*b*/) const override {}
  void profile(std::span<double> /*t*/, double /*a*/, std::span<const double> /*b*/) const override {}
  DotDerivatives derivatives(double /*t*/, double /*a*/, double /*b*/) const override { return {.t = 1}; }
};

}  // namespace

const KernelEntry& linear_entry() {
  static const KernelEntry entry{.name = "linear",
                                 .aliases = {"vanilla"},
                                 .formula = "x.y",
                                 .summary = "inner product: linear functions",
                                 .definiteness = "positive definite",
                                 .make = make_node<LinearNode>,
                                 .examples = {"linear()"}};
  return entry;
}

}  // namespace mercer
