#include "mercer/kernels/dot/cosine.h"

#include <string>

#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class CosineNode final : public AngularNode {
 public:
  CosineNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : AngularNode(entry, std::move(parameters), std::move(children), 0) {}
  Definiteness definiteness() const override { return Definiteness::positive(); }

  // A zero vector has no direction: its values are 0, and the user is told once per sample set.
  void complete(KernelPreparation& preparation) const override {
    AngularNode::complete(preparation);
    const Prepared& samples = preparation.target();
    Index zeros = 0;
    for (Index i = 0; i < samples.size(); ++i) {
      zeros += samples.squared_length(plain_geometry(), i) == 0 ? 1 : 0;
    }
    if (zeros > 0) {
      preparation.run().warn("cosine: " + std::to_string(zeros) + " of " + std::to_string(samples.size()) +
                             " samples are zero vectors; their cosine with everything is taken as 0");
    }
  }

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
