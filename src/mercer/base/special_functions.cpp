#include "mercer/base/special_functions.h"

#include <math.h>  // lgamma_r

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mercer {

namespace {

constexpr double sqrt_half = 0.70710678118654752440;
constexpr double log_two = std::numbers::ln2;
// From here on asymptotic series reach full precision.
constexpr double far = 10;

// 1 − x√π scaled_erfc(x) in the asymptotic range, with w = 1/(2x²): w − 3w² + 15w³ − …
double asymptotic_defect(double w) {
  double term = w;
  double sum = w;
  for (int k = 2; k < 40; ++k) {
    const double next = -term * (2 * k - 1) * w;
    if (std::abs(next) >= std::abs(term) || std::abs(next) < 1e-18 * std::abs(sum)) {
      break;
    }
    term = next;
    sum += term;
  }
  return sum;
}

// Lentz's method for b₀ + a₁/(b₁ + a₂/(b₂ + …)).
template <class Terms>
double continued_fraction(double b0, Terms terms) {
  constexpr double tiny = 1e-300;
  double value = b0 == 0 ? tiny : b0;
  double c = value;
  double d = 0;
  for (int k = 1; k < 100000; ++k) {
    const auto [a, b] = terms(k);
    d = b + a * d;
    d = 1 / (d == 0 ? tiny : d);
    c = b + a / c;
    c = c == 0 ? tiny : c;
    value *= c * d;
    if (std::abs(c * d - 1) < 1e-15) {
      break;
    }
  }
  return value;
}

struct Fraction {
  double a;
  double b;
};

}  // namespace

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double log_add_exp(double a, double b) {
  const double high = std::max(a, b);
  if (std::isinf(high)) {
    return high;
  }
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

double scaled_erfc(double x) {
  if (x >= far) {
    return (1 - asymptotic_defect(0.5 / (x * x))) / (x * std::sqrt(std::numbers::pi));
  }
  const double square = x * x;
  const double rest = std::fma(x, x, -square);
  return std::exp(square) * (1 + rest) * std::erfc(x);
}

double log_normal_cumulative(double x) {
  if (x > 0) {
    return std::log1p(-0.5 * std::erfc(x * sqrt_half));
  }
  return x > -1 ? std::log(0.5 * std::erfc(-x * sqrt_half))
                : std::log(scaled_erfc(-x * sqrt_half)) - log_two - 0.5 * x * x;
}

double normal_cumulative(double x) { return 0.5 * std::erfc(-x * sqrt_half); }

double normal_quantile(double p) {
  if (p > 0.5) {
    return -normal_quantile(1 - p);
  }
  // A rational start with three digits (Abramowitz & Stegun 26.2.22), then Newton's method on ln Φ, which is concave.
  const double t = std::sqrt(-2 * std::log(p));
  double x = (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)) - t;
  for (int k = 0; k < 50; ++k) {
    const double step = (log_normal_cumulative(x) - std::log(p)) / normal_hazard(x).ratio;
    x -= step;
    if (std::abs(step) <= 1e-15 * std::abs(x)) {
      break;
    }
  }
  return p == 0.5 ? 0.0 : x;
}

NormalHazard normal_hazard(double x) {
  if (x < -far) {
    const double defect = asymptotic_defect(1 / (x * x));
    return {-x / (1 - defect), -x * defect / (1 - defect)};
  }
  const double ratio = x < 0 ? std::sqrt(2 / std::numbers::pi) / scaled_erfc(-x * sqrt_half)
                             : std::exp(-0.5 * x * x) / (std::sqrt(2 * std::numbers::pi) * normal_cumulative(x));
  return {ratio, ratio + x};
}

double upper_incomplete_gamma(double a, double x) {
  if (x <= 0) {
    return 1;
  }
  const double front = std::exp(a * std::log(x) - x - log_gamma(a));
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (double k = a + 1; term > 1e-17 * sum; ++k) {
      term *= x / k;
      sum += term;
    }
    return std::max(0.0, 1 - front * sum);
  }
  const double fraction =
      continued_fraction(x + 1 - a, [&](int k) { return Fraction{-k * (k - a), x + 2 * k + 1 - a}; });
  return std::min(1.0, front / fraction);
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) {
    return 0;
  }
  if (x >= 1) {
    return 1;
  }
  if (x > (a + 1) / (a + b + 2)) {
    return 1 - incomplete_beta(b, a, 1 - x);
  }
  const double front =
      std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  const double fraction = continued_fraction(1.0, [&](int k) {
    const int half = k / 2;
    const double m = half;
    const double numerator = k % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                        : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    return Fraction{numerator, 1.0};
  });
  return front / fraction;
}

double student_cumulative(double t, double degrees_of_freedom) {
  // ν/(ν + t²) would lose the digits of small t: the complement is used there, and there alone, as it has none of a tail.
  const double square = t * t;
  const double tail =
      square < std::min(1.0, degrees_of_freedom)
          ? 0.5 - 0.5 * incomplete_beta(0.5, degrees_of_freedom / 2, square / (degrees_of_freedom + square))
          : 0.5 * incomplete_beta(degrees_of_freedom / 2, 0.5, degrees_of_freedom / (degrees_of_freedom + square));
  return t > 0 ? 1 - tail : tail;
}

}  // namespace mercer
