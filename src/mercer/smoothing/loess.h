// LOESS: local regression with robust iterations and the statistics of its fit (Cleveland & Devlin 1988; Cleveland,
// Grosse & Shyu 1992). Fitted values are L y with the rows of L the equivalent kernels at the points, so that
//
//   δ₁ = tr (I − L)(I − L)ᵀ,   δ₂ = tr ((I − L)(I − L)ᵀ)²,   s² = Σ w_i r_i² / δ₁,   degrees of freedom δ₁² / δ₂
//
// and the variance of f(x) is s² Σ_i l_i(x)² / w_i. Computed directly at every point, without interpolation: what R's
// loess gives with surface = "direct" and statistics = "exact".
#pragma once

#include <span>
#include <vector>

#include "mercer/smoothing/local_regression.h"

namespace mercer {

struct LoessOperator {
  double trace = 0;  ///< tr L
  double delta_1 = 0;
  double delta_2 = 0;

  /// n − 2 tr L + tr LᵀL = δ₁ gives Cleveland's equivalent number of parameters, tr LᵀL.
  double parameters(Index n) const { return delta_1 + 2 * trace - static_cast<double>(n); }
  double degrees_of_freedom() const { return delta_2 > 0 ? delta_1 * delta_1 / delta_2 : 0; }
};

/// exact: δ₂ by an n × n product. estimated: δ₂ from 64 random signs and two more passes of local fits, to a few per
/// cent; trace and δ₁ are exact.
enum class LoessTraces { exact, estimated };

/// `weights` of the points (n, or empty for 1). δ₁ = δ₂ = 0 where they are rounding: as many parameters as rows. Random signs come from run.seed().
LoessOperator loess_operator(const LocalRegression& regression, std::span<const double> weights, LoessTraces traces,
                             const Run& run);

struct LoessFit {
  std::vector<double> robustness;  ///< bisquare weights that the last fit used, 1 without robust iterations
  std::vector<double> fitted;
  double scale = 0;  ///< s; 0 where δ₁ is 0
};

/// Fits `y`, then `robust_iterations` times again with bisquare weights of the residuals. Cost: n local fits each.
LoessFit fit_loess(const LocalRegression& regression, std::span<const double> y, std::span<const double> weights,
                   Index robust_iterations, const LoessOperator& statistics, const Run& run);

/// Σ_i l_i(x)² / w_i for every query, where l is the equivalent kernel with weights w_i · robustness_i.
std::vector<double> loess_variance_factors(const LocalRegression& regression, ConstMatrixView<double> queries,
                                           std::span<const double> weights, std::span<const double> robustness,
                                           const Run& run);

}  // namespace mercer
