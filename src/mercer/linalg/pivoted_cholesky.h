// Low-rank factor of a positive semidefinite matrix, K ~ F F', from its diagonal and a few of its columns: partial
// Cholesky with chosen pivots.
//
// Randomly pivoted (Chen, Epperly, Tropp, Webber 2022): pivots are drawn with probability proportional to the residual
// diagonal d, and E tr(K - F F') <= (1 + eps) tr(K - K_r) once the rank reaches r/eps + r log(1/(eps eta)). The
// accelerated form (Epperly, Tropp, Webber 2024) draws blocks and rejects within the block, with exactly the law of the
// simple method. Greedy takes large residuals: every pivot is at least half of the largest residual of its time.
// Columns are added by blocks, so the work is matrix products: O(k^2 n) flops and k n entries of K for rank k.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

template <class T>
struct ColumnOracle {
  /// Writes K(:, pivots) to an n x b block.
  std::function<void(std::span<const Index> pivots, MatrixView<T> out)> columns;
  /// Writes K(pivots, pivots) to a b x b block; may be empty, then whole columns are evaluated before the rejections.
  std::function<void(std::span<const Index> pivots, MatrixView<T> out)> square = {};
};

enum class PivotRule { random, greedy };

struct PivotedCholeskyOptions {
  Index max_rank = 0;    ///< must be 1 or more
  double tolerance = 0;  ///< stop when tr(K - F F') <= tolerance tr K
  Index block = 0;       ///< pivots drawn per round; 0: about max_rank / 10, between 8 and 256
  PivotRule rule = PivotRule::random;
  /// How many times each row counts in random draws; empty: once. What is largest (greedy) does not depend on it.
  std::vector<double> weights = {};

  void validate() const;
};

template <class T>
struct PivotedCholesky {
  Matrix<T> factor;                  ///< n x rank
  std::vector<Index> pivots;         ///< in order, distinct
  std::vector<double> trace_errors;  ///< tr(K - F F') with the first 0, 1, ..., rank columns
  std::vector<double> residual_diagonal;
  Index rank() const { return static_cast<Index>(pivots.size()); }
};

/// Stops at max_rank, at the tolerance, or where the residual is at the level of rounding. Random choices come from
/// run.seed(). Throws InvalidArgument where the diagonal has a negative or non-finite entry, Stopped on a stop.
template <class T>
PivotedCholesky<T> pivoted_cholesky(std::span<const std::type_identity_t<T>> diagonal, const ColumnOracle<T>& oracle,
                                    const PivotedCholeskyOptions& options, const Run& run);

}  // namespace mercer
