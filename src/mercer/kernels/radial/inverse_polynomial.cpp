#include "mercer/kernels/radial/inverse_polynomial.h"

#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/data_dimension.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/scale_mixture.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(u) = (1 + u)^−p, p = (N+1)/2, u = (r/ℓ)²
class InversePolynomialNode final : public RadialNode {
 public:
  InversePolynomialNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        power_((static_cast<double>(given_dimension(*this)) + 1) / 2) {}
  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }
  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    return needs_data_dimension(*this) ? with_data_dimension(*this, all.samples)->resolved(all, run)
                                       : KernelNode::resolved(all, run);
  }

 protected:
  void profile(std::span<float> u) const override { map(u, static_cast<float>(-power_)); }
  void profile(std::span<double> u) const override { map(u, -power_); }
  void first_derivative(std::span<double> u) const override {
    map(u, -power_ - 1);
    map_each(u, [p = power_](double v) { return -p * v; });
  }
  void second_derivative(std::span<double> u) const override {
    map(u, -power_ - 2);
    map_each(u, [p = power_](double v) { return p * (p + 1) * v; });
  }

  // (1 + s)^−p = E exp(−gs), g of the gamma distribution of shape p.
  std::optional<SpectralSampler> unit_sampler(Index /*dimension*/) const override {
    return scale_mixture(1.0, [p = power_](RandomStream& random) { return std::sqrt(2 * random.gamma(p)); });
  }

 private:
  template <class T>
  void map(std::span<T> u, T exponent) const {
    vector_log1p(u, u);
    vector_exp_scaled(u, exponent, u);
  }

  double power_;
};

}  // namespace

const KernelEntry& inverse_polynomial_entry() {
  static const KernelEntry entry{
      .name = "inverse_polynomial",
      .formula = "(1 + |x-y|^2 / lengthscale^2)^(-(dimension+1)/2)",
      .summary = "the kernel whose spectrum decays exponentially",
      .definiteness = "positive definite",
      .parameters = {lengthscale_spec(), dimension_spec("sets the exponent (default auto: the number of columns)")},
      .make = make_node<InversePolynomialNode>,
      .examples = {"inverse_polynomial(lengthscale=1.5, dimension=3)",
                   "inverse_polynomial(lengthscale=[1, 2, inf], dimension=2)"}};
  return entry;
}

}  // namespace mercer
