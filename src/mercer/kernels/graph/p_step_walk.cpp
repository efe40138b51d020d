#include "mercer/kernels/graph/p_step_walk.h"

#include <cmath>

#include "mercer/kernels/graph/node_kernel.h"

namespace mercer {

namespace {

class PStepWalkNode final : public NodeKernelNode {
 public:
  PStepWalkNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : NodeKernelNode(entry, std::move(parameters), std::move(children)),
        offset_(this->parameters().number_or("a", 2)),
        steps_(this->parameters().number_or("p", 3)) {}

 protected:
  double spectral_value(double eigenvalue, bool /*is_zero*/) const override {
    const double value = std::pow(std::max(offset_ - eigenvalue, 0.0), steps_);
    if (!std::isfinite(value)) {
      throw NumericalError("p_step_walk: (a - eigenvalue)^p overflows with a = " + std::to_string(offset_) +
                           " and p = " + std::to_string(steps_) + "; choose smaller ones");
    }
    return value;
  }
  void check_spectrum(std::span<const double> eigenvalues, Index /*components*/) const override {
    constexpr double rounding = 1e-10;
    const double largest_eigenvalue = eigenvalues.back();
    if (largest_eigenvalue > offset_ * (1 + rounding)) {
      reject_argument("p_step_walk: a", offset_,
                      "at least the largest eigenvalue of the Laplacian, here " + std::to_string(largest_eigenvalue) +
                          "; with laplacian=normalized 2 is enough for every graph");
    }
  }

 private:
  double offset_;
  double steps_;
};

}  // namespace

const KernelEntry& p_step_walk_entry() {
  static const KernelEntry entry{
      .name = "p_step_walk",
      .aliases = {"p_step"},
      .formula = "((a I - L)^p)[x, y]; L: Laplacian of the graph whose weight matrix the samples are",
      .summary = "nodes of one graph: lazy random walks of p steps that lead from one to the other",
      .definiteness = "positive definite",
      .input = KernelInput::adjacency,
      .parameters = {{.name = "a",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive,
                      .default_text = "2",
                      .meaning = "weight of staying; at least the largest eigenvalue of L"},
                     {.name = "p",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "3",
                      .meaning = "number of steps"},
                     laplacian_parameter("normalized")},
      .make = make_node<PStepWalkNode>,
      .examples = {"p_step_walk()", "p_step_walk(a=60, p=2, laplacian=plain)", "normalize(p_step_walk(p=5))"}};
  return entry;
}

}  // namespace mercer
