#include "mercer/kernels/radial/sobolev.h"

#include <cmath>

#include "mercer/base/vector_math.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

const double decay = std::sqrt(3.0) / 2;

// k(t) = e^(−at)(cos(t/2) + √3 sin(t/2)), k' = −2 e^(−at) sin(t/2), a = √3/2; φ(u) with u = t².
class SobolevNode final : public RadialNode {
 public:
  SobolevNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0) {}
  Definiteness definiteness() const override {
    Definiteness result;
    result.domain.largest_dimension = 1;
    return result;
  }

 protected:
  void profile(std::span<float> u) const override { map(u); }
  void profile(std::span<double> u) const override { map(u); }
  void first_derivative(std::span<double> u) const override {
    map_each(u, [](double v) {
      const double t = std::sqrt(v);
      return coincident(v) ? -0.5 : -std::exp(-decay * t) * std::sin(t / 2) / t;
    });
  }
  void second_derivative(std::span<double> u) const override {
    map_each(u, [](double v) {
      if (coincident(v)) {
        return 0.0;
      }
      const double t = std::sqrt(v);
      const double h = t / 2;
      // (h cos h − sin h)/t², which cancels near 0
      const double bend = h < 1e-2 ? -h / 12 * (1 - h * h / 10) : (h * std::cos(h) - std::sin(h)) / v;
      return std::exp(-decay * t) * (decay * std::sin(h) / t - bend) / (2 * t);
    });
  }

  // Rejection from the Cauchy distribution: (1 + ω²)/(1 + ω² + ω⁴) ≤ 1 accepts 58 % of the draws.
  std::optional<SpectralSampler> unit_sampler(Index dimension) const override {
    if (dimension != 1) {
      return std::nullopt;
    }
    return SpectralSampler{1.0, [](RandomStream& random, std::span<double> frequency) {
                             double squared = 0;
                             do {
                               frequency[0] = random.cauchy();
                               squared = frequency[0] * frequency[0];
                             } while (random.uniform() * (1 + squared * squared / (1 + squared)) > 1);
                           }};
  }

 private:
  template <class T>
  void map(std::span<T> u) const {
    map_blocks(u, [](std::span<T> block, std::span<T> t) {
      vector_sqrt(t, t);
      vector_exp_scaled(t, static_cast<T>(-decay), block);
      for (std::size_t j = 0; j < block.size(); ++j) {
        const T h = t[j] / 2;
        block[j] = block[j] > 0 ? block[j] * (std::cos(h) + static_cast<T>(2 * decay) * std::sin(h)) : T(0);
      }
    });
  }
};

}  // namespace

const KernelEntry& sobolev_entry() {
  static const KernelEntry entry{
      .name = "sobolev",
      .formula = "exp(-sqrt(3) t/2) (cos(t/2) + sqrt(3) sin(t/2)), t = |x-y| / lengthscale, for one column",
      .summary = "penalises value, slope and curvature of a function on the line",
      .definiteness = "positive definite in one dimension",
      .parameters = {lengthscale_spec()},
      .make = make_node<SobolevNode>,
      .examples = {"sobolev(lengthscale=0.8)[0]", "sobolev(lengthscale=[1.5])[2]"}};
  return entry;
}

}  // namespace mercer
