#include "mercer/kernels/radial/inverse_quadratic.h"

#include "mercer/kernels/radial/offset_power_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

std::shared_ptr<const KernelNode> make_inverse_quadratic(const KernelEntry& entry, ParameterList parameters,
                                                         std::vector<Kernel> children) {
  return make_offset_power(entry, std::move(parameters), std::move(children), "a", OffsetPower::minus_one);
}

}  // namespace

const KernelEntry& inverse_quadratic_entry() {
  static const KernelEntry entry{
      .name = "inverse_quadratic",
      .formula = "1 / (a^2 + |x-y|^2 / lengthscale^2)",
      .summary = "smooth functions with influence over long distances; cauchy with another amplitude",
      .definiteness = "positive definite",
      .parameters = {offset_lengthscale_spec("a"), {.name = "a", .meaning = "offset (default 1); k(x, x) = 1/a^2"}},
      .make = make_inverse_quadratic,
      .examples = {"inverse_quadratic(a=0.8)", "inverse_quadratic(lengthscale=1.5, a=1.2)",
                   "inverse_quadratic(lengthscale=[1, 2, inf])"}};
  return entry;
}

}  // namespace mercer
