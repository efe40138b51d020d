#include "mercer/kernels/algebra/exp.h"

#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/nodes/mapped_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class ExpNode final : public MappedNode {
 public:
  using MappedNode::MappedNode;
  Definiteness definiteness() const override { return definiteness_of_exponential(child(0).definiteness()); }

 protected:
  void map(std::span<float> v) const override { vector_exp(v, v); }
  void map(std::span<double> v) const override { vector_exp(v, v); }
  double slope(double v) const override { return std::exp(v); }
  double curvature(double v) const override { return std::exp(v); }
};

}  // namespace

const KernelEntry& exp_entry() {
  static const KernelEntry entry{
      .name = "exp",
      .formula = "exp(k(x,y))",
      .summary = "exponential of a kernel",
      .definiteness = "positive if k is positive or conditional of order 1",
      .input = KernelInput::any,
      .fewest_children = 1,
      .most_children = 1,
      .make = make_node<ExpNode>,
      .examples = {"exp(0.3*linear())", "exp(rbf(gamma=0.5))", "exp(0.7*negative_distance(beta=1.5))"}};
  return entry;
}

}  // namespace mercer
