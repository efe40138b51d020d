// Points by formula and plain sums that the tests of densities compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"
#include "mercer/smoothing/smoothing_kernel.h"

namespace mercer::testing {

/// 1.3-sine points: x_i, ½x_i + cos 2.1i, sin 0.7i².
inline Matrix<double> sine_points(Index rows, Index columns) {
  Matrix<double> points(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    const auto t = static_cast<double>(i);
    const double x = std::sin(1.3 * t) + 0.3 * std::cos(7.1 * t * t);
    const double all[] = {x, 0.5 * x + std::cos(2.1 * t), std::sin(0.7 * t * t)};
    for (Index j = 0; j < columns; ++j) {
      points(i, j) = all[j];
    }
  }
  return points;
}

inline Matrix<double> normal_points(Index rows, Index columns, std::uint64_t seed, double spread = 1) {
  Matrix<double> points(rows, columns);
  RandomStream random(seed, 3);
  for (Index k = 0; k < rows * columns; ++k) {
    points.data()[k] = spread * random.normal();
  }
  return points;
}

inline std::vector<double> positive_values(Index count, std::uint64_t seed) {
  RandomStream random(seed, 4);
  std::vector<double> values;
  for (Index i = 0; i < count; ++i) {
    values.push_back(0.2 + 2 * random.uniform());
  }
  return values;
}

/// ln Σ w λ^−d κ(‖q − x‖²/λ²), term by term, without row `without`.
inline double plain_log_sum(const SmoothingKernel& kernel, ConstMatrixView<double> points,
                            const std::vector<double>& weights, const std::vector<double>& scales,
                            std::span<const double> query, Index without = -1) {
  double largest = -std::numeric_limits<double>::infinity();
  std::vector<double> terms;
  for (Index i = 0; i < points.rows(); ++i) {
    if (i == without) {
      continue;
    }
    const double scale = scales.empty() ? 1.0 : scales[i];
    double squared = 0;
    for (Index j = 0; j < points.columns(); ++j) {
      const double t = (points(i, j) - query[j]) / scale;
      squared = kernel.shape() == SmoothingShape::cube ? std::max(squared, t * t) : squared + t * t;
    }
    const double weight = weights.empty() ? 1.0 : weights[i];
    terms.push_back(kernel.log_profile(squared) + std::log(weight) -
                    static_cast<double>(points.columns()) * std::log(scale));
    largest = std::max(largest, terms.back());
  }
  if (std::isinf(largest)) {
    return largest;
  }
  double sum = 0;
  for (const double term : terms) {
    sum += std::exp(term - largest);
  }
  return largest + std::log(sum);
}

}  // namespace mercer::testing
