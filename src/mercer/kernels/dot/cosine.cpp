#include "mercer/kernels/dot/cosine.h"

#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class CosineNode final : public AngularNode {
 public:
  CosineNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : AngularNode(entry, std::move(parameters), std::move(children), 0) {}
  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  void angular(std::span<double> /*c*/) const override {}
  AngularValue angular_derivatives(double c) const override { return {c, 1, 0}; }
};

}  // namespace

const KernelEntry& cosine_entry() {
  static const KernelEntry entry{.name = "cosine",
                                 .formula = "x.y / (|x| |y|)",
                                 .summary = "the cosine of the angle; 0 for a zero vector",
                                 .definiteness = "positive definite",
                                 .make = make_node<CosineNode>,
                                 .examples = {"cosine()"}};
  return entry;
}

}  // namespace mercer
