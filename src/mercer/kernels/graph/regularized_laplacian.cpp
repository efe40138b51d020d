#include "mercer/kernels/graph/regularized_laplacian.h"

#include "mercer/kernels/graph/node_kernel.h"

namespace mercer {

namespace {

class RegularizedLaplacianNode final : public NodeKernelNode {
 public:
  RegularizedLaplacianNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : NodeKernelNode(entry, std::move(parameters), std::move(children)),
        sigma_(this->parameters().number_or("sigma", 1)) {}

 protected:
  double spectral_value(double eigenvalue, bool /*is_zero*/) const override {
    return 1 / (1 + sigma_ * sigma_ * eigenvalue);
  }
  double spectral_slope(double eigenvalue) const override {
    const double value = 1 / (1 + sigma_ * sigma_ * eigenvalue);
    return -2 * sigma_ * eigenvalue * value * value;
  }

 private:
  double sigma_;
};

}  // namespace

const KernelEntry& regularized_laplacian_entry() {
  static const KernelEntry entry{
      .name = "regularized_laplacian",
      .formula = "((I + sigma^2 L)^-1)[x, y]; L: Laplacian of the graph whose weight matrix the samples are",
      .summary = "nodes of one graph: functions whose differences along edges are small",
      .definiteness = "positive definite",
      .input = KernelInput::adjacency,
      .parameters = {{.name = "sigma",
                      .role = ParameterRole::scale,
                      .constraint = Constraint::positive,
                      .default_text = "1",
                      .meaning = "weight of the differences along edges"},
                     laplacian_parameter("plain")},
      .make = make_node<RegularizedLaplacianNode>,
      .examples = {"regularized_laplacian()", "regularized_laplacian(sigma=2, laplacian=normalized)",
                   "normalize(regularized_laplacian(sigma=0.5))"}};
  return entry;
}

}  // namespace mercer
