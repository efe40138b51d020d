#include "mercer/kernels/radial/negative_distance.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

double checked_beta(const KernelEntry& entry, const ParameterList& parameters) {
  const double beta = parameters.number_or("beta", 1);
  if (beta > 2) {
    reject_argument(entry.name + ": beta", beta,
                    "a number from 0 to 2: above 2 the kernel is not conditionally positive of order 1");
  }
  return beta;
}

// φ(u) = −u^b, b = β/2, u = (r/ℓ)²
class NegativeDistanceNode final : public RadialNode {
 public:
  NegativeDistanceNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
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
        return -1.0;
      }
      return coincident(v) ? 0.0 : -b * std::pow(v, b - 1);
    });
  }
  void second_derivative(std::span<double> u) const override {
    map_each(u, [b = half_](double v) { return b == 1 || coincident(v) ? 0.0 : b * (1 - b) * std::pow(v, b - 2); });
  }

 private:
  template <class T>
  void map(std::span<T> u) const {
    if (half_ == 0.5) {
      vector_sqrt(u, u);
    } else {
      vector_pow(u, static_cast<T>(half_), u);
    }
    map_each(u, [](T v) { return -v; });
  }

  double half_;
};

}  // namespace

const KernelEntry& negative_distance_entry() {
  static const KernelEntry entry{
      .name = "negative_distance",
      .aliases = {"power_distance"},
      .formula = "-(|x-y| / lengthscale)^beta",
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
