#include "mercer/kernels/radial/thin_plate.h"

#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(u) = ±½ uⁿ ln u, u = (r/ℓ)²
class ThinPlateNode final : public RadialNode {
 public:
  ThinPlateNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        n_(static_cast<int>(this->parameters().number_or("n", 1))),
        half_sign_(n_ % 2 == 1 ? 0.5 : -0.5) {}
  Definiteness definiteness() const override { return Definiteness::conditional(n_ + 1); }

 protected:
  void profile(std::span<float> u) const override { map(u); }
  void profile(std::span<double> u) const override { map(u); }
  void first_derivative(std::span<double> u) const override {
    map_each(u, [n = n_, c = half_sign_](double v) {
      return coincident(v) ? 0.0 : c * std::pow(v, n - 1) * (n * std::log(v) + 1);
    });
  }
  void second_derivative(std::span<double> u) const override {
    map_each(u, [n = n_, c = half_sign_](double v) {
      return coincident(v) ? 0.0 : c * std::pow(v, n - 2) * (n * (n - 1) * std::log(v) + 2 * n - 1);
    });
  }

 private:
  template <class T>
  void map(std::span<T> u) const {
    map_blocks(u, [this](std::span<T> block, std::span<T> logarithm) {
      vector_log(logarithm, logarithm);
      vector_pow(block, static_cast<T>(n_), block);
      for (std::size_t j = 0; j < block.size(); ++j) {
        block[j] = block[j] > 0 ? static_cast<T>(half_sign_) * block[j] * logarithm[j] : T(0);
      }
    });
  }

  int n_;
  double half_sign_;
};

}  // namespace

const KernelEntry& thin_plate_entry() {
  static const KernelEntry entry{
      .name = "thin_plate",
      .aliases = {"thin_plate_spline"},
      .formula = "(-1)^(n+1) s^(2n) log(s), s = |x-y| / lengthscale",
      .summary = "bends least; for models with polynomials of degree n beside it",
      .definiteness = "conditionally positive definite of order n + 1",
      .parameters = {optional_lengthscale_spec(),
                     {.name = "n",
                      .aliases = {"order"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "1",
                      .meaning = "half the exponent of the distance"}},
      .make = make_node<ThinPlateNode>,
      .examples = {"thin_plate()", "thin_plate(n=2)", "thin_plate(lengthscale=[0.5, 2, 1], n=1)"}};
  return entry;
}

}  // namespace mercer
