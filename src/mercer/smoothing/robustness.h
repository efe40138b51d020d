// Resistance to outliers of local regression (Cleveland 1979; Cleveland, Grosse & Shyu 1992): points are fitted again
// with weights by the size of their residuals r,
//
//   w = (1 − (r / 6m)²)² for |r| < 6m, 0 beyond,   m = the median of |r|
#pragma once

#include <span>
#include <vector>

namespace mercer {

/// 6m.
double bisquare_limit(std::span<const double> residuals);

/// The bisquare weights; all 1 where the median of |r| is 0, or at most `rounding`. As in the original programs, |r| below 0.001 · 6m counts as 0
/// and above 0.999 · 6m as 6m.
std::vector<double> bisquare_weights(std::span<const double> residuals, double rounding = 0);

/// Targets for which plain least squares has the standard errors of the robust fit (Cleveland, Grosse & Shyu 1992):
/// fitted + c · w · (y − fitted). `prior` are the weights of the points, `robust` the bisquare weights.
std::vector<double> pseudovalues(std::span<const double> y, std::span<const double> fitted,
                                 std::span<const double> prior, std::span<const double> robust);

}  // namespace mercer
