#include "mercer/kernels/radial/bessel_k.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/base/error.h"

namespace mercer {

namespace {

struct BesselPair {
  double low;   // e^z K_f(z)
  double high;  // e^z K_{f+1}(z)
};

// 1/Γ(1+x) = Σ_k reciprocal_gamma[k] x^k, converging like 1/k! (Abramowitz & Stegun 6.1.34).
constexpr std::array<double, 20> reciprocal_gamma = {1.0,
                                                     0.5772156649015328606,
                                                     -0.6558780715202538811,
                                                     -0.0420026350340952355,
                                                     0.1665386113822914895,
                                                     -0.0421977345555443367,
                                                     -0.0096219715278769736,
                                                     0.0072189432466630995,
                                                     -0.0011651675918590651,
                                                     -0.0002152416741149510,
                                                     0.0001280502823881162,
                                                     -0.0000201348547807882,
                                                     -0.0000012504934821427,
                                                     0.0000011330272319817,
                                                     -0.0000002056338416978,
                                                     0.0000000061160951045,
                                                     0.0000000050020076444,
                                                     -0.0000000011812745705,
                                                     0.0000000001043426712,
                                                     0.0000000000077822634};

// The sum over every second term from `first`, with powers of f² only.
double half_series(double squared, std::size_t first) {
  double sum = 0;
  for (std::size_t step = reciprocal_gamma.size() / 2; step-- > 0;) {
    sum = sum * squared + reciprocal_gamma[2 * step + first];
  }
  return sum;
}

// Temme's series, |f| ≤ ½, z ≤ 2.
BesselPair small_argument(double f, double z) {
  const double epsilon = std::numeric_limits<double>::epsilon();
  const double logarithm = std::log(2 / z);
  const double shift = f * logarithm;
  const double even = half_series(f * f, 0);  // (1/Γ(1−f) + 1/Γ(1+f))/2
  const double odd = -half_series(f * f, 1);  // (1/Γ(1−f) − 1/Γ(1+f))/(2f)
  const double angle = std::numbers::pi * f;
  const double reflection = std::fabs(angle) < 1e-8 ? 1.0 : angle / std::sin(angle);
  const double sinh_ratio = std::fabs(shift) < 1e-8 ? 1.0 : std::sinh(shift) / shift;
  double term = reflection * (odd * std::cosh(shift) + even * sinh_ratio * logarithm);
  const double growth = std::exp(shift);
  double p = 0.5 * growth / (even - f * odd);
  double q = 0.5 / (growth * (even + f * odd));
  double c = 1;
  double low = term;
  double high = p;
  for (int k = 1; k < 100; ++k) {
    term = (k * term + p + q) / (k * k - f * f);
    c *= z * z / (4 * k);
    p /= k - f;
    q /= k + f;
    low += c * term;
    high += c * (p - k * term);
    if (std::fabs(c * term) < epsilon * std::fabs(low)) {
      break;
    }
  }
  const double scale = std::exp(z);
  return {low * scale, high * 2 / z * scale};
}

// Steed's evaluation of the second continued fraction, z ≥ 2.
BesselPair large_argument(double f, double z) {
  const double a1 = 0.25 - f * f;
  double b = 2 * (1 + z);
  double d = 1 / b;
  double h = d;
  double delta = d;
  double q1 = 0;
  double q2 = 1;
  double q = a1;
  double c = a1;
  double a = -a1;
  double s = 1 + q * delta;
  for (int k = 2; k < 10000; ++k) {
    a -= 2 * (k - 1);
    c = -a * c / k;
    const double next = (q1 - b * q2) / a;
    q1 = q2;
    q2 = next;
    q += c * next;
    b += 2;
    d = 1 / (b + a * d);
    delta = (b * d - 1) * delta;
    h += delta;
    const double change = q * delta;
    s += change;
    if (std::fabs(change) < std::numeric_limits<double>::epsilon() * std::fabs(s)) {
      break;
    }
  }
  h *= a1;
  const double low = std::sqrt(std::numbers::pi / (2 * z)) / s;
  return {low, low * (f + z + 0.5 - h) / z};
}

constexpr int first_octave = -40;
constexpr int last_octave = 10;
constexpr std::size_t degree = 17;  // the nearest singularity, z = 0, leaves 9.9^−17 of the first coefficient

}  // namespace

double scaled_matern(double order, double z) {
  if (!(order >= 0 && order <= largest_matern_order)) {
    reject_argument("order of a Bessel function", order, "a number from 0 to 200");
  }
  const double whole = std::round(order);
  const double f = order - whole;
  const BesselPair k = z <= 2 ? small_argument(f, z) : large_argument(f, z);
  if (whole == 0) {
    return f == 0 ? k.low : 2 * std::pow(z / 2, f) / std::tgamma(f) * k.low;
  }
  const double power = std::pow(z / 2, f + 1) / std::tgamma(f + 1);
  double below = 2 * power * k.high;  // M_{f+1}
  if (whole == 1) {
    return below;
  }
  double value = below + power * z * k.low / (f + 1);  // M_{f+2}
  for (double mu = f + 2; mu < order - 0.5; mu += 1) {
    const double above = value + z * z / (4 * mu * (mu - 1)) * below;
    below = value;
    value = above;
  }
  return value;
}

MaternTable::MaternTable(double order) : order_(order) {
  std::array<double, degree> samples{};
  for (int octave = first_octave; octave <= last_octave; ++octave) {
    for (int half = 0; half < 2; ++half) {
      for (std::size_t i = 0; i < degree; ++i) {
        const double t = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / degree);
        const double z = std::ldexp(1.25 + 0.5 * half + 0.25 * t, octave);
        samples[i] = std::log(scaled_matern(order, z)) - z;
      }
      for (std::size_t j = 0; j < degree; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < degree; ++i) {
          sum += samples[i] *
                 std::cos(std::numbers::pi * static_cast<double>(j) * (static_cast<double>(i) + 0.5) / degree);
        }
        coefficients_.push_back(sum * (j == 0 ? 1.0 : 2.0) / degree);
      }
    }
  }
}

double MaternTable::log_value(double z) const {
  int exponent = 0;
  const double mantissa = 2 * std::frexp(z, &exponent);  // in [1, 2)
  const int octave = exponent - 1;
  if (octave < first_octave) {
    return std::log(scaled_matern(order_, z)) - z;
  }
  if (octave > last_octave) {
    return -std::numeric_limits<double>::infinity();
  }
  const int half = mantissa < 1.5 ? 0 : 1;
  const double t = 4 * (mantissa - 1.25 - 0.5 * half);
  const double* const c = coefficients_.data() + static_cast<std::size_t>(2 * (octave - first_octave) + half) * degree;
  double above = 0;
  double current = 0;
  for (std::size_t j = degree - 1; j > 0; --j) {
    const double next = 2 * t * current - above + c[j];
    above = current;
    current = next;
  }
  return t * current - above + c[0];
}

}  // namespace mercer
