// Sums of cosines, shared by the kernels that are Fourier series.
#pragma once

#include <cmath>
#include <numbers>

namespace mercer {

/// Σ_{n=1}^{terms} w(n) cos(nt) with its first and second derivative by t.
struct FourierSum {
  double value = 0;
  double first = 0;
  double second = 0;
};

/// Radians per unit of the input.
inline double phase_rate(double period) { return 2 * std::numbers::pi / period; }

/// 2π·difference/period, brought to [−π, π]; 0 for a difference that overflowed.
inline double phase(double difference, double period) {
  const double rest = std::remainder(difference, period);
  return std::isfinite(rest) ? rest * phase_rate(period) : 0.0;
}

/// Cost O(terms): the angles by rotation, whose error grows like terms · 1e-16.
template <class Weight>
FourierSum fourier_sum(double t, int terms, Weight weight) {
  FourierSum sum;
  const double c = std::cos(t);
  const double s = std::sin(t);
  double cosine = 1;
  double sine = 0;
  for (int n = 1; n <= terms; ++n) {
    const double next = cosine * c - sine * s;
    sine = sine * c + cosine * s;
    cosine = next;
    const double w = weight(n);
    sum.value += w * cosine;
    sum.first -= w * n * sine;
    sum.second -= w * n * n * cosine;
  }
  return sum;
}

}  // namespace mercer
