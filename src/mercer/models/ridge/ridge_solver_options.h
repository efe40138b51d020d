// How a ridge problem is solved: by one coefficient per row or one weight per column, exactly or by an iteration.
#pragma once

#include <array>

#include "mercer/base/index.h"
#include "mercer/base/words.h"
#include "mercer/kernels/prepared.h"

namespace mercer {

/// automatic: the primal where it is possible and the smaller.
enum class RidgeForm { automatic, dual, primal };
constexpr auto words_of(RidgeForm) {
  return std::array{Word{RidgeForm::automatic, "automatic"}, Word{RidgeForm::dual, "dual"},
                    Word{RidgeForm::primal, "primal"}};
}

/// Of the dual. exact: Cholesky; iterative: conjugate gradients; automatic: exact up to a size (prefers_iteration).
enum class RidgeMethod { automatic, exact, iterative };
constexpr auto words_of(RidgeMethod) {
  return std::array{Word{RidgeMethod::automatic, "auto"}, Word{RidgeMethod::exact, "exact"},
                    Word{RidgeMethod::iterative, "iterative"}};
}

/// What becomes of a kernel that is not positive definite. solve: by eigenvalues, where the Cholesky factor does not exist.
enum class IndefiniteKernels { refuse, solve };
constexpr auto words_of(IndefiniteKernels) {
  return std::array{Word{IndefiniteKernels::refuse, "refuse"}, Word{IndefiniteKernels::solve, "solve"}};
}

struct RidgeSolverOptions {
  RidgeForm form = RidgeForm::automatic;
  Precision precision = Precision::double_precision;
  IndefiniteKernels indefinite = IndefiniteKernels::refuse;
  RidgeMethod method = RidgeMethod::exact;
  double tolerance = 1e-6;  ///< of the iteration: the relative residual
  Index max_iterations = 1000;
};

}  // namespace mercer
