#include "mercer/kernels/graph/diffusion.h"

#include <cmath>

#include "mercer/kernels/graph/node_kernel.h"

namespace mercer {

namespace {

class DiffusionNode final : public NodeKernelNode {
 public:
  DiffusionNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : NodeKernelNode(entry, std::move(parameters), std::move(children)),
        time_(this->parameters().number_or("beta", 1)) {}

 protected:
  double spectral_value(double eigenvalue, bool /*is_zero*/) const override { return std::exp(-time_ * eigenvalue); }
  double spectral_slope(double eigenvalue) const override { return -eigenvalue * std::exp(-time_ * eigenvalue); }

 private:
  double time_;
};

}  // namespace

const KernelEntry& diffusion_entry() {
  static const KernelEntry entry{
      .name = "diffusion",
      .formula = "exp(-beta L)[x, y]; L: Laplacian of the graph whose weight matrix the samples are",
      .summary = "nodes of one graph: how much heat flows from one to the other in time beta",
      .definiteness = "positive definite",
      .input = KernelInput::adjacency,
      .parameters = {{.name = "beta",
                      .role = ParameterRole::scale,
                      .constraint = Constraint::positive,
                      .default_text = "1",
                      .meaning = "time: how far values spread along the edges"},
                     laplacian_parameter("plain")},
      .make = make_node<DiffusionNode>,
      .examples = {"diffusion()", "diffusion(beta=0.3, laplacian=normalized)", "normalize(diffusion(beta=2))"}};
  return entry;
}

}  // namespace mercer
