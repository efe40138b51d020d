// Preconditioned conjugate gradients for A X = B, A symmetric positive definite, several right-hand sides at once.
//
// Every column runs its own iteration (Hestenes and Stiefel 1952), but all of them share one product with A per step,
// which is a matrix product instead of several matrix-vector ones. Columns that have converged leave the block. The
// residual is recomputed from its definition now and then, because the recurrence drifts from it by rounding.
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/block_operator.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

struct ConjugateGradientOptions {
  double tolerance = 1e-8;  ///< on |b - A x| / |b|, per column
  int max_iterations = 1000;
  int refresh_every = 50;  ///< steps between recomputations of the residual

  void validate() const;
};

struct ConjugateGradientResult {
  SolveStatus status = SolveStatus::converged;  ///< the worst of the columns
  int iterations = 0;                           ///< products with A, residual recomputations not counted
  std::vector<double> relative_residuals;       ///< |b - A x| / |b| per column (by the recurrence if stopped)
};

/// Improves X (n x m, the starting guess; zeros are fine) to A^-1 B. `precondition` writes Y = M^-1 X for a symmetric
/// positive definite M; empty means none. Never throws Stopped: a stop leaves the best X so far and status stopped.
/// Four n x m blocks of memory. A column of B that is 0 is judged by its absolute residual.
template <class T>
ConjugateGradientResult conjugate_gradient(const BlockOperator<std::type_identity_t<T>>& multiply,
                                           ConstMatrixViewOf<T> b, MatrixView<T> x,
                                           const ConjugateGradientOptions& options, const Run& run,
                                           const BlockOperator<std::type_identity_t<T>>& precondition = {});

}  // namespace mercer
