#include "mercer/kernels/radial/negative_distance.h"

#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/distance_power_node.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// f(p) = −p
class NegativeDistanceNode final : public DistancePowerNode {
 public:
  NegativeDistanceNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DistancePowerNode(entry, std::move(parameters), std::move(children), "conditionally positive of order 1") {}
  Definiteness definiteness() const override {
    Definiteness result = Definiteness::conditional(1);
    result.nonpositive = true;
    return result;
  }

 protected:
  void outer(std::span<float> p) const override {
    map_each(p, [](float v) { return -v; });
  }
  void outer(std::span<double> p) const override {
    map_each(p, [](double v) { return -v; });
  }
  double zero_to_zero() const override { return 0; }  // k(x, x) = 0 for every power
  double outer_first(double /*p*/) const override { return -1; }
  double outer_second(double /*p*/) const override { return 0; }
};

}  // namespace

const KernelEntry& negative_distance_entry() {
  static const KernelEntry entry{
      .name = "negative_distance",
      .aliases = {"power_distance"},
      .formula = "-(|x-y| / lengthscale)^beta; 0 for x = y",
      .summary = "no width to choose; for models with a constant term",
      .definiteness = "conditionally positive definite of order 1 for 0 <= beta <= 2",
      .parameters = {optional_lengthscale_spec(),
                     {.name = "beta",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .default_text = "1",
                      .meaning = "exponent of the distance, 0 to 2"}},
      .make = make_node<NegativeDistanceNode>,
      .examples = {"negative_distance()", "negative_distance(beta=1.5)", "negative_distance(beta=2)",
                   "negative_distance(lengthscale=[0.5, 2, 1], beta=0.6)"}};
  return entry;
}

}  // namespace mercer
