// The reference rows nearest to samples in a kernel's feature space, d²(x, z) = k(x, x) + k(z, z) − 2k(x, z). Tiles of
// kernel values are looked through and forgotten: memory grows with the number of neighbors that are kept, never with
// samples × reference rows.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/kernels/prepared.h"

namespace mercer {

struct NearRow {
  Index row = 0;
  double squared_distance = 0;
};

/// Whether a reference row may be a neighbor of itself. leave_out: sample i is reference row i, and one unit of that
/// row's weight does not count (leave-one-out).
enum class OwnRow { keep, leave_out };

/// Per sample the nearest reference rows, nearest first, of equal distances the lower row; as many as it takes until
/// their weights sum to `count` or more (all of them where they never do). `weights`: one positive number per reference
/// row, empty: all 1, so that `count` is the number of neighbors. Prepared in double. Reference rows with equal
/// values have the same distance, to the bit, and a sample that equals one has distance 0 to it, unless the kernel tells
/// samples apart (KernelNode::depends_on_identity). NumericalError where kernel values are not numbers.
std::vector<std::vector<NearRow>> nearest_rows(const PreparedKernel& reference, std::span<const double> weights,
                                               const Samples& samples, double count, OwnRow own, const Run& run);

}  // namespace mercer
