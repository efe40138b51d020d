#include "mercer/kernels/coordinate/periodic.h"

#include <cmath>
#include <numbers>

#include "mercer/base/simd.h"
#include "mercer/base/vector_math.h"
#include "mercer/kernels/coordinate/coordinate_node.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// angle_j = π·u with u = (x − y_j)/p brought to [−½, ½]: float keeps its digits far from the origin. An overflowing
// difference has no phase left; it counts as none.
template <class T>
MERCER_INLINE void angles_body(T x, const T* y, T inverse_period, T* angle, Index count) {
  for (Index j = 0; j < count; ++j) {
    const T turns = (x - y[j]) * inverse_period;
    const T rest = turns - std::floor(turns + T(0.5));
    angle[j] = rest == rest ? static_cast<T>(std::numbers::pi) * rest : T(0);
  }
}
MERCER_CLONES void angles(float x, const float* y, float inverse_period, float* angle, Index count) {
  angles_body(x, y, inverse_period, angle, count);
}
MERCER_CLONES void angles(double x, const double* y, double inverse_period, double* angle, Index count) {
  angles_body(x, y, inverse_period, angle, count);
}

// sum_j += weight · sin_j² + gamma · (x − y_j)²
template <class T>
MERCER_INLINE void add_exponents_body(T x, const T* y, const T* sine, T weight, T gamma, T* sum, Index count) {
  for (Index j = 0; j < count; ++j) {
    const T difference = x - y[j];
    sum[j] += weight * sine[j] * sine[j] + (gamma > T(0) ? gamma * difference * difference : T(0));
  }
}
MERCER_CLONES void add_exponents(float x, const float* y, const float* sine, float weight, float gamma, float* sum,
                                 Index count) {
  add_exponents_body(x, y, sine, weight, gamma, sum, count);
}
MERCER_CLONES void add_exponents(double x, const double* y, const double* sine, double weight, double gamma,
                                 double* sum, Index count) {
  add_exponents_body(x, y, sine, weight, gamma, sum, count);
}

// A Poisson number as the count of unit-rate arrivals before `mean`.
double poisson(RandomStream& random, double mean) {
  double count = 0;
  for (double time = -std::log(random.uniform()); time < mean; time -= std::log(random.uniform())) {
    ++count;
  }
  return count;
}

class PeriodicNode final : public CoordinateProductNode<PeriodicNode> {
 public:
  PeriodicNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : CoordinateProductNode(entry, std::move(parameters), std::move(children)),
        period_(this->parameters(), "period", 1),
        lengthscale_(this->parameters(), "lengthscale", 1),
        gamma_(number_or(this->parameters(), "gamma", 0)),
        is_local_(this->parameters().has("gamma")),
        gamma_slot_(gradient_offset(this->parameters(), "gamma")) {}

  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

  double value(std::size_t c, double x, double y) const {
    const double s = std::sin(angle(c, x - y));
    return std::exp(-weight(c) * s * s - (gamma_ > 0 ? gamma_ * (x - y) * (x - y) : 0.0));
  }
  // g = exp(−h), h = w sin²(πt/p) + γt²
  double slope(std::size_t c, double x, double y) const { return -first(c, x - y) * value(c, x, y); }
  double mixed(std::size_t c, double x, double y) const {
    const double h1 = first(c, x - y);
    return (second(c, x - y) - h1 * h1) * value(c, x, y);
  }
  void add_parameter_slopes(std::size_t c, double x, double y, double factor, std::span<double> out) const {
    const double t = x - y;
    const double g = factor * value(c, x, y);
    if (g == 0) {
      return;
    }
    const double a = angle(c, t);
    const double s = std::sin(a);
    out[period_.slot(c)] += g * weight(c) * std::sin(2 * a) * std::numbers::pi * t / (period_[c] * period_[c]);
    out[lengthscale_.slot(c)] += g * 2 * weight(c) * s * s / lengthscale_[c];
    if (is_local_) {
      out[gamma_slot_] -= g * t * t;
    }
  }

  // exp(−a + a cos ωt) = Σ_n e^{−a} I_n(a) cos(nωt), a = 1/ℓ²: the law of the difference of two Poisson numbers of
  // mean a/2. The Gaussian factor adds a normal frequency.
  std::optional<SpectralSampler> spectral_sampler(Index /*dimension*/) const override {
    return SpectralSampler{1.0, [period = period_, lengthscale = lengthscale_, gamma = gamma_](
                                    RandomStream& random, std::span<double> frequency) {
                             for (std::size_t c = 0; c < frequency.size(); ++c) {
                               const double mean = 0.5 / (lengthscale[c] * lengthscale[c]);
                               const double order = poisson(random, mean) - poisson(random, mean);
                               frequency[c] = 2 * std::numbers::pi * order / period[c];
                               if (gamma > 0) {
                                 frequency[c] += std::sqrt(2 * gamma) * random.normal();
                               }
                             }
                           }};
  }

 protected:
  bool is_translation_invariant() const override { return true; }
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }
  void check_domain(const Prepared& x) const override {
    period_.require_columns(entry().name, x.samples().columns());
    lengthscale_.require_columns(entry().name, x.samples().columns());
  }

 private:
  double angle(std::size_t c, double t) const {
    const double rest = std::remainder(t, period_[c]);
    return std::isfinite(rest) ? std::numbers::pi * rest / period_[c] : 0.0;
  }
  double weight(std::size_t c) const { return 2 / (lengthscale_[c] * lengthscale_[c]); }
  double first(std::size_t c, double t) const {
    return weight(c) * std::sin(2 * angle(c, t)) * std::numbers::pi / period_[c] + 2 * gamma_ * t;
  }
  double second(std::size_t c, double t) const {
    return 2 * weight(c) * std::cos(2 * angle(c, t)) * std::numbers::pi * std::numbers::pi / (period_[c] * period_[c]) +
           2 * gamma_;
  }

  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    std::vector<T> sine(k.size());
    const auto count = static_cast<Index>(k.size());
    std::fill(k.begin(), k.end(), T(0));
    for (std::size_t c = 0; c < x.size(); ++c) {
      const T* const column = y.row_data(static_cast<Index>(c));
      angles(x[c], column, static_cast<T>(1 / period_[c]), sine.data(), count);
      vector_sin(sine, sine);
      add_exponents(x[c], column, sine.data(), static_cast<T>(weight(c)), static_cast<T>(gamma_), k.data(), count);
    }
    vector_exp_scaled(k, T(-1), k);
  }

  ColumnParameter period_;
  ColumnParameter lengthscale_;
  double gamma_;
  bool is_local_;
  std::size_t gamma_slot_;
};

std::vector<ParameterSpec> periodic_parameters() {
  return {{.name = "period",
           .default_text = "1",
           .meaning = "length of one period, one number or one per column",
           .may_be_list = true},
          {.name = "lengthscale",
           .aliases = {"length_scale"},
           .default_text = "1",
           .meaning = "smoothness within a period (no unit), one number or one per column",
           .may_be_list = true,
           .may_be_infinite = true}};
}

std::vector<ParameterSpec> locally_periodic_parameters() {
  std::vector<ParameterSpec> specs = periodic_parameters();
  specs.push_back(
      {.name = "gamma", .default_text = "scale", .meaning = "how fast the pattern changes over the periods"});
  return specs;
}

}  // namespace

const KernelEntry& periodic_entry() {
  static const KernelEntry entry{
      .name = "periodic",
      .aliases = {"exp_sine_squared"},
      .formula = "exp(-2 sum_j sin^2(pi (x_j-y_j) / period) / lengthscale^2)",
      .summary = "functions that repeat themselves in every column",
      .definiteness = "positive definite",
      .parameters = periodic_parameters(),
      .make = make_node<PeriodicNode>,
      .examples = {"periodic(period=2, lengthscale=1.5)", "periodic(period=[1, 3, 2], lengthscale=[1, inf, 0.8])",
                   "periodic(period=0.7)[1]"}};
  return entry;
}

const KernelEntry& locally_periodic_entry() {
  static const KernelEntry entry{
      .name = "locally_periodic",
      .formula = "exp(-2 sum_j sin^2(pi (x_j-y_j) / period) / lengthscale^2 - gamma |x-y|^2)",
      .summary = "periodic times rbf: a repeating pattern that changes slowly",
      .definiteness = "positive definite",
      .parameters = locally_periodic_parameters(),
      .make = make_node<PeriodicNode>,
      .examples = {"locally_periodic(period=2, lengthscale=1.5, gamma=0.1)",
                   "locally_periodic(period=[1, 3, 2], lengthscale=0.9, gamma=0.3)"}};
  return entry;
}

}  // namespace mercer
