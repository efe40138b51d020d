#include "mercer/kernels/radial/sphere_wave.h"

#include <math.h>  // j0 and j1 of POSIX

#include <cmath>

namespace mercer {

namespace {

// Σ_k (−z²/4)^k / (k! (ν+1)_k): no term is larger than exp(z²/(4(ν+1))).
double by_series(double order, double quarter) {
  double term = 1;
  double sum = 1;
  for (int k = 1; std::abs(term) > 1e-18; ++k) {
    term *= -quarter / (k * (order + k));
    sum += term;
  }
  return sum;
}

// J_{μ+1} = (2μ/z) J_μ − J_{μ−1} as Λ has it; stable upwards where the order is below z.
double upwards(double order, double z) {
  const bool whole = order == std::floor(order);
  double below = whole ? ::j0(z) : std::cos(z);
  double current = whole ? 2 * ::j1(z) / z : std::sin(z) / z;
  double at = whole ? 1 : 0.5;
  if (order < at) {
    return below;
  }
  for (; at < order; ++at) {
    const double next = 4 * at * (at + 1) / (z * z) * (current - below);
    below = current;
    current = next;
  }
  return current;
}

// The same recursion downwards, stable where the order is above z; from an order whose series has no large terms.
double downwards(double order, double quarter) {
  const double start = order + std::ceil(std::max(0.0, quarter / 2 - order));
  double above = by_series(start + 1, quarter);
  double current = by_series(start, quarter);
  for (double at = start; at > order; --at) {
    const double next = current - quarter / (at * (at + 1)) * above;
    above = current;
    current = next;
  }
  return current;
}

}  // namespace

double sphere_wave(Index dimension, double z) {
  if (!std::isfinite(z)) {
    return 0;
  }
  const double order = 0.5 * static_cast<double>(dimension) - 1;
  const double quarter = 0.25 * z * z;
  if (quarter <= 2 * (order + 1)) {
    return by_series(order, quarter);
  }
  return z >= order ? upwards(order, z) : downwards(order, quarter);
}

}  // namespace mercer
