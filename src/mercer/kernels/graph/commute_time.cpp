#include "mercer/kernels/graph/commute_time.h"

#include <limits>

#include "mercer/kernels/graph/node_kernel.h"

namespace mercer {

namespace {

class CommuteTimeNode final : public NodeKernelNode {
 public:
  using NodeKernelNode::NodeKernelNode;

 protected:
  double spectral_value(double eigenvalue, bool is_zero) const override { return is_zero ? 0.0 : 1 / eigenvalue; }
  // Eigenvalues have errors of about n ε λ_max: below that, a part that a weight of 1e-17 joins to the rest has a
  // resistance of rounding errors.
  void check_spectrum(std::span<const double> eigenvalues, Index components) const override {
    const auto n = static_cast<double>(eigenvalues.size());
    const double error = n * std::numeric_limits<double>::epsilon() * eigenvalues.back();
    for (const double eigenvalue : eigenvalues.subspan(static_cast<std::size_t>(components))) {
      if (!(eigenvalue > error)) {
        throw NumericalError(
            "commute_time: parts of the graph are joined by weights that are too small to tell from 0; drop these "
            "edges");
      }
    }
  }
};

}  // namespace

const KernelEntry& commute_time_entry() {
  static const KernelEntry entry{
      .name = "commute_time",
      .formula = "(L^+)[x, y]: pseudo-inverse of the Laplacian of the graph whose weight matrix the samples are",
      .summary = "nodes of one graph: squared distances are the times of random walks there and back",
      .definiteness = "positive definite",
      .input = KernelInput::adjacency,
      .parameters = {laplacian_parameter("plain")},
      .make = make_node<CommuteTimeNode>,
      .examples = {"commute_time()", "commute_time(laplacian=normalized)", "normalize(commute_time())"}};
  return entry;
}

}  // namespace mercer
