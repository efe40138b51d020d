#include "mercer/kernels/radial/log_distance.h"

#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/distance_power_node.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// f(p) = −ln(1 + p)
class LogDistanceNode final : public DistancePowerNode {
 public:
  LogDistanceNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : DistancePowerNode(entry, std::move(parameters), std::move(children), "conditionally positive of order 1") {}
  Definiteness definiteness() const override {
    Definiteness result = Definiteness::conditional(1);
    result.nonpositive = true;
    return result;
  }

 protected:
  void outer(std::span<float> p) const override { map(p); }
  void outer(std::span<double> p) const override { map(p); }
  double outer_first(double p) const override { return -1 / (1 + p); }
  double outer_second(double p) const override { return 1 / (1 + p) / (1 + p); }

 private:
  template <class T>
  static void map(std::span<T> p) {
    vector_log1p(p, p);
    map_each(p, [](T v) { return -v; });
  }
};

}  // namespace

const KernelEntry& log_distance_entry() {
  static const KernelEntry entry{.name = "log_distance",
                                 .aliases = {"logarithmic"},
                                 .formula = "-log(1 + (|x-y| / lengthscale)^beta)",
                                 .summary = "grows slowly with the distance; for models with a constant term",
                                 .definiteness = "conditionally positive definite of order 1 for 0 < beta <= 2",
                                 .parameters = {lengthscale_spec(),
                                                {.name = "beta",
                                                 .role = ParameterRole::number,
                                                 .default_text = "2",
                                                 .meaning = "exponent of the distance, above 0, at most 2"}},
                                 .make = make_node<LogDistanceNode>,
                                 .examples = {"log_distance(lengthscale=1.5)", "log_distance(lengthscale=0.8, beta=1)",
                                              "log_distance(lengthscale=[0.5, 2, inf], beta=0.6)"}};
  return entry;
}

}  // namespace mercer
