// DensitySum: Σ_i w_i λ_i^−d κ(‖q − x_i‖ / λ_i) at many queries q, in the kernel's norm: the sum that every density estimate
// is made of.
// Coordinates are in units of the bandwidth; κ is the profile of a smoothing kernel, κ(0) = 1; logarithms are returned,
// and no query is too far away for them.
//
// Queries are taken in small groups of neighbours. A walk through a kd-tree of the points, level by level, bounds what a
// node can give to any query of the group: Kl ≤ κ ≤ Ku from the distances of the boxes. A node is taken at its middle,
// W (Ku + Kl)/2, where its share of the error suffices,
//
//   (Ku − Kl)/2 ≤ (relative · L + absolute) / ΣW,     L ≤ the sum: the lower bound of all nodes so far,
//
// and what remains is summed exactly by tiles of vectorised arithmetic: distances from coordinates, in more than 24
// dimensions from one matrix product per tile (‖q‖² + ‖x‖² − 2qx about the centre of the points; where that loses more than
// 1e-10, from coordinates again). Errors then add up to relative · sum + absolute
// at most (and rounding, about 1e-14 of the sum). With accuracy 0 nodes outside the support are left out and nothing
// else. Reference: Gray and Moore (2003).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/linalg/matrix.h"
#include "mercer/smoothing/point_tree.h"
#include "mercer/smoothing/smoothing_kernel.h"

namespace mercer {

/// What an approximate sum may be off by; 0 and 0: exact.
struct SumAccuracy {
  double relative = 0;
  double absolute = 0;  ///< of the sum with κ(0) = 1, not of its logarithm
};

/// automatic: the tree up to 16 dimensions, where boxes still say something about distances.
enum class SumMethod { automatic, exact, tree };
constexpr auto words_of(SumMethod) {
  return std::array{Word{SumMethod::automatic, "auto"}, Word{SumMethod::exact, "exact"}, Word{SumMethod::tree, "tree"}};
}

class DensitySum {
 public:
  /// `points` in units of the bandwidth, one at least; weights (> 0) and scales λ (> 0): one per point, or none (all 1).
  DensitySum(const SmoothingKernel& kernel, ConstMatrixView<double> points, std::span<const double> weights,
             std::span<const double> scales, SumMethod method);

  const SmoothingKernel& kernel() const { return kernel_; }
  Index size() const { return tree_.size(); }
  SumMethod method() const { return method_; }

  /// ln of the sum per query (−inf outside a bounded support). Cost O(d n) per query at worst; O(group · n) memory
  /// nowhere: tiles of fixed size.
  std::vector<double> log_sums(ConstMatrixView<double> queries, SumAccuracy accuracy, const Run& run) const;
  /// The same at the points themselves, each without its own term, in the order of the points.
  std::vector<double> log_sums_without_own(SumAccuracy accuracy, const Run& run) const;

 private:
  struct Group;
  struct Workspace;
  void sum_group(const Group& group, SumAccuracy accuracy, Workspace& work) const;
  void walk(const Group& group, SumAccuracy accuracy, Workspace& work) const;
  void spend_the_rest(double budget, Workspace& work) const;
  void add_range(const Group& group, IndexRange range, Workspace& work) const;
  void gather_queries(const Group& group, Workspace& work) const;
  void distances(const Workspace& work, Index query, IndexRange tile, double* squared) const;
  void products(const Group& group, IndexRange tile, Workspace& work) const;
  double distant_log_sum(const Group& group, Index query, Workspace& work) const;

  SmoothingKernel kernel_;
  SumMethod method_;
  std::vector<double> center_;  // what points and queries are moved by; empty in few dimensions
  PointTree tree_;
  std::vector<double> squared_norms_;  // of the points; empty in few dimensions
};

}  // namespace mercer
