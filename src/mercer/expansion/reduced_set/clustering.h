// Reduced sets by clustering: the centres of k-means on the centres themselves, which know nothing of the coefficients.
// A baseline, and a start for refinement (Schölkopf & Smola (2002), problem 18.10).
#pragma once

#include "mercer/expansion/reduced_set/target.h"

namespace mercer {

/// `size` points (fewer where fewer centres differ): k-means++ start from run.seed(), Lloyd's steps until nothing
/// moves or 100 of them. n·m·d operations a step. InvalidArgument where samples are not numbers.
Matrix<double> cluster_points(const ReductionTarget& target, Index size, const Run& run);

}  // namespace mercer
