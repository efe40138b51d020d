#include "mercer/models/ridge/ridge_lcurve.h"

#include <cmath>
#include <limits>

#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr double golden = 0.6180339887498949;
constexpr int golden_steps = 40;  // the interval of ln λ shrinks by 4e-9

// d/dt and d²/dt² of ln √v, from those of v.
struct LogSlopes {
  double first;
  double second;
};
LogSlopes log_slopes(double v, double first, double second) {
  const double slope = first / v;
  return {.first = slope / 2, .second = (second / v - slope * slope) / 2};
}

}  // namespace

RidgeLCurve::RidgeLCurve(const RidgeSpectrum& spectrum) {
  for (std::size_t j = 0; j < spectrum.values.size(); ++j) {
    const auto row = spectrum.coefficients.view().row(static_cast<Index>(j));
    parts_.push_back({.value = spectrum.values[j], .squares = dot(row, row)});
  }
  for (Index i = 0; i < spectrum.rest_targets.rows(); ++i) {
    const auto row = spectrum.rest_targets.view().row(i);
    rest_squares_ += dot(row, row);
  }
}

// In t = ln λ, with A_p = Σ s c²/(s + λ)^p:  Ω = A_2, Ω' = −2λ A_3, Ω'' = −2λ A_3 + 6λ² A_4; R' = −λ Ω',
// R'' = −λ (Ω' + Ω'').
RidgeLCurve::Point RidgeLCurve::at(double lambda) const {
  double error = rest_squares_;
  double size = 0;
  double third = 0;   // λ A_3
  double fourth = 0;  // λ² A_4
  for (const Part& part : parts_) {
    const double sum = part.value + lambda;
    const double kept = sum > 0 ? lambda / sum : 1;
    error += kept * kept * part.squares;
    const double share = sum > 0 ? part.value * part.squares / (sum * sum) : 0;
    size += share;
    third += kept * share;
    fourth += kept * kept * share;
  }
  const double size_first = -2 * third;
  const double size_second = -2 * third + 6 * fourth;
  const LogSlopes down = log_slopes(size, size_first, size_second);
  const LogSlopes right = log_slopes(error, -lambda * size_first, -lambda * (size_first + size_second));
  const double bend = right.first * down.second - right.second * down.first;
  const double speed = std::hypot(right.first, down.first);
  const bool has_both = error > 0 && size > 0;
  return {.lambda = lambda,
          .residual_squares = error,
          .squared_norm = size,
          .curvature = has_both ? bend / (speed * speed * speed) : std::numeric_limits<double>::quiet_NaN()};
}

std::optional<RidgeLCurve::Point> RidgeLCurve::corner(std::span<const double> lambdas) const {
  std::optional<std::size_t> best;
  double greatest = 0;
  for (std::size_t l = 1; l + 1 < lambdas.size(); ++l) {
    const double curvature = at(lambdas[l]).curvature;
    if (curvature > greatest) {
      greatest = curvature;
      best = l;
    }
  }
  if (!best) {
    return std::nullopt;
  }
  double low = std::log(lambdas[*best - 1]);
  double high = std::log(lambdas[*best + 1]);
  const auto inner = [&](double share) { return at(std::exp(low + share * (high - low))); };
  Point left = inner(1 - golden);
  Point right = inner(golden);
  for (int step = 0; step < golden_steps; ++step) {
    if (left.curvature > right.curvature) {
      high = std::log(right.lambda);
      right = left;
      left = inner(1 - golden);
    } else {
      low = std::log(left.lambda);
      left = right;
      right = inner(golden);
    }
  }
  const Point found = left.curvature > right.curvature ? left : right;
  return found.curvature > greatest ? found : at(lambdas[*best]);
}

}  // namespace mercer
