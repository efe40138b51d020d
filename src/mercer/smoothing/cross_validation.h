// Leave-one-out scores of gaussian bandwidths, many at a time. Bandwidths that shrink by √2 need one exponential for all,
//
//   exp(−s/2h²) = (exp(−s/4h²))²,
//
// so that a ladder of them costs little more than one. The same step gives ∫p²: the convolution of a gaussian with itself
// is √2 times as wide.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class BandwidthScore {
  likelihood,    ///< −(1/W) Σ w_i ln p_{−i}(x_i)
  least_squares  ///< ∫p² − (2/W) Σ w_i p_{−i}(x_i)
};

/// Small is good; +inf where a point is too far from all others for its density to be a number. `points` in any unit.
/// `widths` must be steps of one ladder: widths[k] = widths[0] 2^{−k/2}. Weights count as copies, of which one
/// is left out. O(n²) pairs within reach
/// of the widest, O(n · count) memory.
std::vector<double> bandwidth_scores(BandwidthScore score, ConstMatrixView<double> points,
                                     std::span<const double> weights, double widest, Index count, const Run& run);

struct BandwidthSearch {
  double factor = 1;
  double score = 0;
  Index evaluations = 0;
  bool at_lower_end = false;
};

/// The factor of bandwidth 1 that scores best, between 2^−6 and 2^4, to about 1 %: two ladders, then a bracket that
/// shrinks. Single outliers that no bandwidth of the ladder reaches are handled by logarithmic sums.
BandwidthSearch best_bandwidth_factor(BandwidthScore score, ConstMatrixView<double> points,
                                      std::span<const double> weights, const Run& run);

}  // namespace mercer
