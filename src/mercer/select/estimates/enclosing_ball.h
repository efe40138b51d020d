// The smallest ball around the samples in feature space, and the range of the kernel's values: what the radius of the
// data is in bounds that do without refitting.
//
//   min R²,  ‖Φ(x_i) − c‖² ≤ R²,  c = Σ β_i Φ(x_i)        Schölkopf & Smola (2002), (8.17)-(8.18) without outliers
//
// Reported is the radius that the found centre needs, max_i ‖Φ(x_i) − c‖: the ball holds every sample whatever the
// accuracy of the centre, so that bounds with it hold; it exceeds the smallest by at most `gap` in R².
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"

namespace mercer {

struct EnclosingBall {
  double squared_radius = 0;
  double gap = 0;              ///< squared_radius less a lower bound on the smallest one
  std::vector<double> center;  ///< β ≥ 0, Σβ = 1
};

/// `accuracy`: of R², relative. O(n²) kernel values per pass, nothing stored beyond `memory_mb`. One sample, or equal
/// ones, have radius 0. InvalidArgument for no samples.
EnclosingBall enclosing_ball(const Gram<double>& gram, double accuracy, const Run& run, double memory_mb = 500);

/// R²_Δ = max_i k(x_i, x_i) − min_ij k(x_i, x_j), in one pass over the n²/2 pairs.
double kernel_range(const Gram<double>& gram, const Run& run);

}  // namespace mercer
