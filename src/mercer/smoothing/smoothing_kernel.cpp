#include "mercer/smoothing/smoothing_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/simd.h"
#include "mercer/base/vector_math.h"
#include "mercer/linalg/gauss_rule.h"

namespace mercer {

namespace {

constexpr double half_pi = std::numbers::pi / 2;
constexpr double unbounded = std::numeric_limits<double>::infinity();

// κ(r) = (1 − r^a)^b; a = 0 for the shapes that are not of this kind.
struct PowerForm {
  int a = 0;
  int b = 0;
};

PowerForm power_form(SmoothingShape shape) {
  switch (shape) {
    case SmoothingShape::boxcar:
      return {1, 0};
    case SmoothingShape::triangle:
      return {1, 1};
    case SmoothingShape::epanechnikov:
      return {2, 1};
    case SmoothingShape::biweight:
      return {2, 2};
    case SmoothingShape::tricube:
      return {3, 3};
    default:
      return {};
  }
}

// ln ∫_0^1 r^p (1 − r^a)^b dr = ln (1/a) B((p+1)/a, b+1); the factors of the beta function, as b is whole.
double log_power_integral(double p, PowerForm form) {
  const double x = (p + 1) / form.a;
  double log_value = -std::log(form.a * x);
  for (int i = 1; i <= form.b; ++i) {
    log_value += std::log(i / (x + i));
  }
  return log_value;
}

// ln ∫_0^1 r^p cos(πr/2) dr, by t = 1 − r and the series of sin(πt/2): terms alternate and fall by a fifth at least.
double log_cosine_integral(double p) {
  double term = half_pi / ((p + 1) * (p + 2));
  double sum = 0;
  for (int k = 0; std::abs(term) > 1e-18 * std::abs(sum); ++k) {
    sum += term;
    term *= -half_pi * half_pi / ((p + 2 * k + 3) * (p + 2 * k + 4));
  }
  return std::log(sum);
}

// ln ∫_0^1 r^p cos²(πr/2) dr = ln ½∫ (1 − t)^p (1 − cos πt) dt, likewise.
double log_squared_cosine_integral(double p) {
  constexpr double pi = std::numbers::pi;
  double term = pi * pi / 2 / ((p + 1) * (p + 2) * (p + 3));
  double sum = 0;
  for (int k = 1; std::abs(term) > 1e-18 * std::abs(sum); ++k) {
    sum += term;
    term *= -pi * pi / ((p + 2 * k + 2) * (p + 2 * k + 3));
  }
  return std::log(sum);
}

// ln ∫ r^p κ(r) dr and ln ∫ r^p κ(r)² dr over the support, for whole p.
double log_radial_integral(SmoothingShape shape, Index p) {
  switch (shape) {
    case SmoothingShape::gaussian:  // 2^{(p−1)/2} Γ((p+1)/2)
      return (static_cast<double>(p) - 1) / 2 * std::numbers::ln2 + log_gamma_of_half(p + 1);
    case SmoothingShape::exponential:
      return log_gamma_of_half(2 * (p + 1));
    case SmoothingShape::cosine:
      return log_cosine_integral(static_cast<double>(p));
    default:
      return log_power_integral(static_cast<double>(p), power_form(shape));
  }
}

double log_squared_radial_integral(SmoothingShape shape, Index p) {
  switch (shape) {
    case SmoothingShape::gaussian:
      return log_radial_integral(shape, p) - static_cast<double>(p + 1) / 2 * std::numbers::ln2;
    case SmoothingShape::exponential:
      return log_radial_integral(shape, p) - static_cast<double>(p + 1) * std::numbers::ln2;
    case SmoothingShape::cosine:
      return log_squared_cosine_integral(static_cast<double>(p));
    default: {
      const PowerForm form = power_form(shape);
      return log_power_integral(static_cast<double>(p), {form.a, 2 * form.b});
    }
  }
}

MERCER_CLONES void epanechnikov_profile(const double* s, double* out, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double z = 1 - s[i];
    out[i] = z > 0 ? z : 0;
  }
}
MERCER_CLONES void biweight_profile(const double* s, double* out, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double z = 1 - s[i];
    out[i] = z > 0 ? z * z : 0;
  }
}
MERCER_CLONES void boxcar_profile(const double* s, double* out, Index count) {
  for (Index i = 0; i < count; ++i) {
    out[i] = s[i] <= 1 ? 1.0 : 0.0;
  }
}
MERCER_CLONES void triangle_profile(const double* s, double* out, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double z = 1 - std::sqrt(s[i]);
    out[i] = z > 0 ? z : 0;
  }
}
MERCER_CLONES void tricube_profile(const double* s, double* out, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double z = 1 - s[i] * std::sqrt(s[i]);
    out[i] = z > 0 ? z * z * z : 0;
  }
}
// The argument of the cosine; outside the support one whose cosine is taken as 0 afterwards.
MERCER_CLONES void cosine_angles(const double* s, double* out, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double r = std::sqrt(s[i]);
    out[i] = half_pi * (r < 1 ? r : 1);
  }
}

// ∫_0^T κ(√(s + t²)) t^{m−1} dt on panels that double from √s on: each sees a smooth function.
double radial_quadrature(const SmoothingKernel& kernel, double s, Index m) {
  static const GaussRule rule = legendre_rule(24);
  // Beyond the end of an exponential κ has fallen by exp(−45).
  const double end =
      std::isinf(kernel.support()) ? std::sqrt(90 * std::sqrt(s) + 45.0 * 45.0) : std::sqrt(std::max(0.0, 1 - s));
  double upper = std::min({end, std::max(std::sqrt(s), end * 0x1p-24), std::max(8.0, end / 8)});
  double lower = 0;
  double sum = 0;
  while (lower < end) {
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const double t = lower + (upper - lower) * (rule.nodes[i] + 1) / 2;
      sum += rule.weights[i] * (upper - lower) * kernel.profile(s + t * t) * std::pow(t, static_cast<double>(m - 1));
    }
    lower = upper;
    upper = std::min({end, 2 * upper, upper + std::max(8.0, end / 8)});
  }
  return sum;
}

}  // namespace

double log_gamma_of_half(Index twice) {
  double log_value = twice % 2 == 0 ? 0.0 : std::log(std::numbers::pi) / 2;
  for (Index k = twice % 2 == 0 ? 2 : 1; k < twice; k += 2) {
    log_value += std::log(static_cast<double>(k) / 2);
  }
  return log_value;
}

double log_ball_volume(Index dimension) {
  return static_cast<double>(dimension) / 2 * std::log(std::numbers::pi) - log_gamma_of_half(dimension + 2);
}

SmoothingKernel::SmoothingKernel(SmoothingShape shape, Index dimension) : shape_(shape), dimension_(dimension) {
  if (dimension < 1) {
    reject_argument("dimension", static_cast<double>(dimension), "at least 1: samples need a numeric column");
  }
  if (shape == SmoothingShape::cube) {
    log_normalization_ = -static_cast<double>(dimension) * std::numbers::ln2;
    second_moment_ = 1.0 / 3;
    log_roughness_ = log_normalization_;
    return;
  }
  const double log_sphere = std::log(static_cast<double>(dimension)) + log_ball_volume(dimension);
  const double log_mass = log_radial_integral(shape, dimension - 1);
  log_normalization_ = -(log_sphere + log_mass);
  second_moment_ = std::exp(log_radial_integral(shape, dimension + 1) - log_mass) / static_cast<double>(dimension);
  log_roughness_ = 2 * log_normalization_ + log_sphere + log_squared_radial_integral(shape, dimension - 1);
}

double SmoothingKernel::support() const {
  return shape_ == SmoothingShape::gaussian || shape_ == SmoothingShape::exponential ? unbounded : 1.0;
}

double SmoothingKernel::reach(double share) const {
  switch (shape_) {
    case SmoothingShape::gaussian:
      return std::sqrt(-2 * std::log(share));
    case SmoothingShape::exponential:
      return -std::log(share);
    default:
      return 1;
  }
}

double SmoothingKernel::profile(double s) const {
  switch (shape_) {
    case SmoothingShape::gaussian:
      return std::exp(-s / 2);
    case SmoothingShape::exponential:
      return std::exp(-std::sqrt(s));
    case SmoothingShape::boxcar:
    case SmoothingShape::cube:
      return s <= 1 ? 1 : 0;
    case SmoothingShape::cosine:
      return s < 1 ? std::sin(half_pi * (1 - std::sqrt(s))) : 0;
    case SmoothingShape::triangle:
      return s < 1 ? 1 - std::sqrt(s) : 0;
    case SmoothingShape::epanechnikov:
      return s < 1 ? 1 - s : 0;
    case SmoothingShape::biweight:
      return s < 1 ? (1 - s) * (1 - s) : 0;
    case SmoothingShape::tricube: {
      const double z = s < 1 ? 1 - s * std::sqrt(s) : 0;
      return z * z * z;
    }
  }
  return 0;
}

double SmoothingKernel::log_profile(double s) const {
  switch (shape_) {
    case SmoothingShape::gaussian:
      return -s / 2;
    case SmoothingShape::exponential:
      return -std::sqrt(s);
    default:
      return std::log(profile(s));
  }
}

void SmoothingKernel::profile(std::span<const double> s, std::span<double> out) const {
  const auto count = static_cast<Index>(s.size());
  switch (shape_) {
    case SmoothingShape::gaussian:
      vector_exp_scaled(s, -0.5, out);
      return;
    case SmoothingShape::exponential:
      vector_sqrt(s, out);
      vector_exp_scaled(out, -1.0, out);
      return;
    case SmoothingShape::boxcar:
    case SmoothingShape::cube:
      boxcar_profile(s.data(), out.data(), count);
      return;
    case SmoothingShape::epanechnikov:
      epanechnikov_profile(s.data(), out.data(), count);
      return;
    case SmoothingShape::biweight:
      biweight_profile(s.data(), out.data(), count);
      return;
    case SmoothingShape::triangle:
      triangle_profile(s.data(), out.data(), count);
      return;
    case SmoothingShape::tricube:
      tricube_profile(s.data(), out.data(), count);
      return;
    case SmoothingShape::cosine:
      cosine_angles(s.data(), out.data(), count);
      vector_cos(out, out);
      // cos(π/2) comes out as 6e-17, of either sign with another rounding; outside the support it is 0.
      for (double& value : out) {
        value = value > 1e-16 ? value : 0;
      }
      return;
  }
}

double SmoothingKernel::value(double s) const { return std::exp(log_normalization_ + log_profile(s)); }

double SmoothingKernel::canonical_bandwidth() const {
  return std::exp((log_roughness_ - 2 * std::log(second_moment_)) / static_cast<double>(dimension_ + 4));
}

double SmoothingKernel::cumulative(double u) const {
  if (shape_ == SmoothingShape::gaussian) {
    return std::erfc(-u / std::numbers::sqrt2) / 2;
  }
  if (shape_ == SmoothingShape::exponential) {
    return u < 0 ? std::exp(u) / 2 : 1 - std::exp(-u) / 2;
  }
  const double r = std::min(std::abs(u), 1.0);
  double half = 0;  // ∫_0^r K
  switch (shape_) {
    case SmoothingShape::boxcar:
    case SmoothingShape::cube:
      half = r / 2;
      break;
    case SmoothingShape::epanechnikov:
      half = 0.75 * (r - r * r * r / 3);
      break;
    case SmoothingShape::biweight:
      half = 15.0 / 16 * (r - 2 * std::pow(r, 3) / 3 + std::pow(r, 5) / 5);
      break;
    case SmoothingShape::triangle:
      half = r - r * r / 2;
      break;
    case SmoothingShape::tricube:
      half = 70.0 / 81 * (r - 0.75 * std::pow(r, 4) + 3 * std::pow(r, 7) / 7 - std::pow(r, 10) / 10);
      break;
    default:
      half = std::sin(half_pi * r) / 2;
      break;
  }
  return u < 0 ? std::max(0.0, 0.5 - half) : std::min(1.0, 0.5 + half);
}

double SmoothingKernel::marginal_profile(double s, Index removed) const {
  if (removed == 0) {
    return profile(s);
  }
  const auto m = static_cast<double>(removed);
  if (shape_ == SmoothingShape::gaussian) {
    return std::exp(-s / 2 + m / 2 * std::log(2 * std::numbers::pi));
  }
  if (shape_ == SmoothingShape::cube) {
    return s <= 1 ? std::exp2(m) : 0;
  }
  if (s >= 1 && !std::isinf(support())) {
    return 0;
  }
  const double log_sphere = std::log(m) + log_ball_volume(removed);
  const PowerForm form = power_form(shape_);
  if (form.a == 2 || shape_ == SmoothingShape::boxcar) {  // t = √(1 − s) v leaves a beta integral
    return std::exp(log_sphere + (form.b + m / 2) * std::log1p(-s) + log_power_integral(m - 1, {2, form.b}));
  }
  return std::exp(log_sphere) * radial_quadrature(*this, s, removed);
}

void SmoothingKernel::draw(RandomStream& random, std::span<double> u) const {
  if (shape_ == SmoothingShape::cube) {
    for (double& value : u) {
      value = 2 * random.uniform() - 1;
    }
    return;
  }
  double squared_norm = 0;
  for (double& value : u) {
    value = random.normal();
    squared_norm += value * value;
  }
  if (shape_ == SmoothingShape::gaussian) {
    return;
  }
  const auto d = static_cast<double>(dimension_);
  const auto beta = [&](double first, double second) {
    const double x = random.gamma(first);
    return x / (x + random.gamma(second));
  };
  double radius = 0;
  if (shape_ == SmoothingShape::exponential) {
    radius = random.gamma(d);
  } else if (shape_ == SmoothingShape::cosine) {  // below (π/2)(1 − r): accepted with a chance of 2/π at least
    do {
      radius = beta(d, 2);
    } while (random.uniform() * half_pi * (1 - radius) > profile(radius * radius));
  } else {
    const PowerForm form = power_form(shape_);
    radius = std::pow(beta(d / form.a, form.b + 1.0), 1.0 / form.a);
  }
  const double factor = squared_norm > 0 ? radius / std::sqrt(squared_norm) : 0;
  for (double& value : u) {
    value *= factor;
  }
}

}  // namespace mercer
