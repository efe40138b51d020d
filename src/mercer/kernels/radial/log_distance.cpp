#include "mercer/kernels/radial/log_distance.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

double checked_beta(const KernelEntry& entry, const ParameterList& parameters) {
  const double beta = parameters.number_or("beta", 2);
  if (beta > 2) {
    reject_argument(entry.name + ": beta", beta, "a number above 0, at most 2");
  }
  return beta;
}

// φ(u) = −ln(1 + u^b), b = β/2, u = (r/ℓ)². With p = u^b and w = p/(1+p): φ' = −bw/u, φ'' = −bw/u² ((b−1)/(1+p) − w).
class LogDistanceNode final : public RadialNode {
 public:
  LogDistanceNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        half_(checked_beta(entry, this->parameters()) / 2) {}
  Definiteness definiteness() const override {
    Definiteness result = Definiteness::conditional(1);
    result.nonpositive = true;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override { map(u); }
  void profile(std::span<double> u) const override { map(u); }
  void first_derivative(std::span<double> u) const override {
    map_each(u, [b = half_](double v) {
      if (b == 1) {
        return -1 / (1 + v);
      }
      return coincident(v) ? 0.0 : -b / (1 + std::pow(v, -b)) / v;
    });
  }
  void second_derivative(std::span<double> u) const override {
    map_each(u, [b = half_](double v) {
      if (b == 1) {
        return 1 / ((1 + v) * (1 + v));
      }
      const double share = 1 / (1 + std::pow(v, -b));
      return coincident(v) ? 0.0 : b * share / v / v * ((1 - b) * (1 - share) + share);
    });
  }

 private:
  template <class T>
  void map(std::span<T> u) const {
    vector_pow(u, static_cast<T>(half_), u);
    vector_log1p(u, u);
    map_each(u, [](T v) { return -v; });
  }

  double half_;
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
