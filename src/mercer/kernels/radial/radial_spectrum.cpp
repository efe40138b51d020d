#include "mercer/kernels/radial/radial_spectrum.h"

#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/kernels/data_dimension.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/radial/sphere_wave.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// φ(u) = Σ w Λ_N(ω√u), φ' = −Σ w ω²/(2N) Λ_{N+2}, φ'' = Σ w ω⁴/(4N(N+2)) Λ_{N+4}
class RadialSpectrumNode final : public RadialNode {
 public:
  RadialSpectrumNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        weights_(numbers_or_none(this->parameters(), "weights")),
        frequencies_(numbers_or_none(this->parameters(), "frequencies")),
        dimension_(given_dimension(*this)) {
    // A search may have yet to decide one of them.
    if (!weights_.empty() && !frequencies_.empty() && weights_.size() != frequencies_.size()) {
      throw InvalidArgument("radial_spectrum: " + std::to_string(weights_.size()) + " weights for " +
                            std::to_string(frequencies_.size()) + " frequencies; give one for each");
    }
  }

  Definiteness definiteness() const override {
    Definiteness result;
    result.domain.largest_dimension = dimension_;
    return result;
  }
  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    return needs_data_dimension(*this) ? with_data_dimension(*this, all.samples)->resolved(all, run)
                                       : KernelNode::resolved(all, run);
  }

 protected:
  void profile(std::span<float> u) const override {
    map_each(u, [this](float v) { return static_cast<float>(derivative(0, static_cast<double>(v))); });
  }
  void profile(std::span<double> u) const override {
    map_each(u, [this](double v) { return derivative(0, v); });
  }
  void first_derivative(std::span<double> u) const override {
    map_each(u, [this](double v) { return derivative(1, v); });
  }
  void second_derivative(std::span<double> u) const override {
    map_each(u, [this](double v) { return derivative(2, v); });
  }

  // A frequency by its weight, in a direction of N dimensions, of which the samples see the first ones.
  std::optional<SpectralSampler> unit_sampler(Index dimension) const override {
    if (dimension_ < dimension) {
      return std::nullopt;
    }
    const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    return SpectralSampler{total, [weights = weights_, frequencies = frequencies_, total, space = dimension_](
                                      RandomStream& random, std::span<double> frequency) {
                             double rest = random.uniform() * total;
                             std::size_t q = 0;
                             while (q + 1 < weights.size() && rest >= weights[q]) {
                               rest -= weights[q++];
                             }
                             double squared = 0;
                             for (double& component : frequency) {
                               component = random.normal();
                               squared += component * component;
                             }
                             const Index hidden = space - static_cast<Index>(frequency.size());
                             squared += hidden > 0 ? random.chi_squared(static_cast<double>(hidden)) : 0.0;
                             for (double& component : frequency) {
                               component *= frequencies[q] / std::sqrt(squared);
                             }
                           }};
  }

 private:
  // The n-th derivative by u: each takes the wave two dimensions up.
  double derivative(int n, double u) const {
    const double r = std::sqrt(u);
    double sum = 0;
    for (std::size_t q = 0; q < weights_.size(); ++q) {
      const double squared = frequencies_[q] * frequencies_[q];
      double weight = weights_[q];
      for (int i = 0; i < n; ++i) {
        weight *= -0.5 * squared / static_cast<double>(dimension_ + Index{2} * i);
      }
      sum += weight * sphere_wave(dimension_ + Index{2} * n, frequencies_[q] * r);
    }
    return sum;
  }

  std::vector<double> weights_;
  std::vector<double> frequencies_;
  Index dimension_;
};

// One wave unless a spectrum is given.
std::shared_ptr<const KernelNode> make_radial_spectrum(const KernelEntry& entry, ParameterList parameters,
                                                       std::vector<Kernel> children) {
  for (const char* name : {"weights", "frequencies"}) {
    if (!parameters.has(name)) {
      parameters = parameters.with(name, ParameterValue::number(1));
    }
  }
  return std::make_shared<const RadialSpectrumNode>(entry, std::move(parameters), std::move(children));
}

}  // namespace

const KernelEntry& radial_spectrum_entry() {
  static const KernelEntry entry{
      .name = "radial_spectrum",
      .formula =
          "sum_q weights_q L(frequencies_q |x-y| / lengthscale), L(z) = mean of cos(z e_1) over the unit "
          "vectors e of `dimension` dimensions",
      .summary = "waves of given frequencies in all directions: cos on the line, J_0 in the plane, sin z / z in space",
      .definiteness = "positive definite in up to `dimension` dimensions",
      .parameters = {optional_lengthscale_spec(),
                     {.name = "frequencies",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .meaning = "in radians per unit of length, one or a list (default 1)",
                      .may_be_list = true},
                     {.name = "weights",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .meaning = "one for each frequency (default 1)",
                      .may_be_list = true},
                     dimension_spec("of the space (default auto: the number of columns)")},
      .make = make_radial_spectrum,
      .examples = {"radial_spectrum(frequencies=[0.5, 1, 3], weights=[1, 0.5, 0.2], dimension=3)",
                   "radial_spectrum(lengthscale=[1, 2, inf], frequencies=[0, 2], weights=[0.3, 1], dimension=2)",
                   "radial_spectrum(lengthscale=0.7, frequencies=[1, 1.5], weights=[0.6, 0.4], dimension=5)",
                   "radial_spectrum(frequencies=2, dimension=1)[0]"}};
  return entry;
}

}  // namespace mercer
