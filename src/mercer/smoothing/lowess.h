// LOWESS: Cleveland's first smoother of a scatter of points (1979, 1981), one predictor, local lines, robust iterations.
// It differs from LOESS of degree 1 in details that are kept, so that it equals the program `lowess` of R with delta = 0:
// the neighbourhood is the window of q points whose farthest is nearest; tricube weights are 1 within 0.001 of its
// width and 0 beyond 0.999; the line is a constant where the points hardly spread.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"

namespace mercer {

struct LowessOptions {
  double span = 2.0 / 3;        ///< the fraction of the points in a neighbourhood, at least two of them
  Index robust_iterations = 3;  ///< fits after the first one

  void validate() const;
};

/// Points in ascending order of x, with what a prediction needs.
struct LowessFit {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> robustness;  ///< weights of the last fit
  std::vector<double> fitted;
  std::vector<std::size_t> order;  ///< of the points as given: x[k] is point order[k]
  Index neighbors = 0;             ///< points in a neighbourhood

  /// The local line at a new place.
  double value(double place) const;
};

/// How many of n points a neighbourhood holds.
Index lowess_neighbors(const LowessOptions& options, Index n);

/// InvalidArgument for options out of range, no points or other lengths. O(n·q) per iteration, in parallel.
LowessFit fit_lowess(std::span<const double> x, std::span<const double> y, const LowessOptions& options,
                     const Run& run);

}  // namespace mercer
