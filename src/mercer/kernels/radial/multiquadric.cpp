#include "mercer/kernels/radial/multiquadric.h"

#include "mercer/kernels/radial/offset_power_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

std::shared_ptr<const KernelNode> make_multiquadric(const KernelEntry& entry, ParameterList parameters,
                                                    std::vector<Kernel> children) {
  return make_offset_power(entry, std::move(parameters), std::move(children), "c", OffsetPower::half);
}

}  // namespace

const KernelEntry& multiquadric_entry() {
  static const KernelEntry entry{
      .name = "multiquadric",
      .formula = "-sqrt(|x-y|^2 / lengthscale^2 + c^2)",
      .summary = "smoothed negative distance, for models with a constant term",
      .definiteness = "conditionally positive definite of order 1",
      .parameters = {offset_lengthscale_spec("c"), {.name = "c", .meaning = "offset (default 1); k(x, x) = -c"}},
      .make = make_multiquadric,
      .examples = {"multiquadric(c=0.8)", "multiquadric(lengthscale=1.5, c=1.2)",
                   "multiquadric(lengthscale=[1, 2, inf])"}};
  return entry;
}

}  // namespace mercer
