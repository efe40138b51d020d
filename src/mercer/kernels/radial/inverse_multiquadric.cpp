#include "mercer/kernels/radial/inverse_multiquadric.h"

#include "mercer/kernels/radial/offset_power_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

std::shared_ptr<const KernelNode> make_inverse_multiquadric(const KernelEntry& entry, ParameterList parameters,
                                                            std::vector<Kernel> children) {
  return make_offset_power(entry, std::move(parameters), std::move(children), "c", OffsetPower::minus_half);
}

}  // namespace

const KernelEntry& inverse_multiquadric_entry() {
  static const KernelEntry entry{
      .name = "inverse_multiquadric",
      .aliases = {"imq"},
      .formula = "1 / sqrt(|x-y|^2 / lengthscale^2 + c^2)",
      .summary = "smooth functions; decays as 1/distance",
      .definiteness = "positive definite",
      .parameters = {offset_lengthscale_spec("c"), {.name = "c", .meaning = "offset (default 1); k(x, x) = 1/c"}},
      .make = make_inverse_multiquadric,
      .examples = {"inverse_multiquadric(c=0.8)", "inverse_multiquadric(lengthscale=1.5, c=1.2)",
                   "inverse_multiquadric(lengthscale=[1, 2, inf])"}};
  return entry;
}

}  // namespace mercer
