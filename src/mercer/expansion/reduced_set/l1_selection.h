// Reduced sets by an l1 penalty: coefficients that are exactly 0,
//
//   min_b Σ_o ‖Ψ_o − Σ_i b_io Φ(x_i)‖² + λ Σ_i c_i max_o |b_io|,      c_i = 1, or mean|a|/|a_i|
//
// by coordinate descent: the i-th minimum is v/K_ii shrunk by the proximal map of max|·|, which for one output is the
// soft threshold. Weights c that punish what was small already give smaller sets at the same error. The penalty for a
// wanted size is found by bisection. What is kept should get its best coefficients afterwards (fit_coefficients).
// Reference: Schölkopf & Smola (2002), 18.4.2 and problem 18.11.
#pragma once

#include <vector>

#include "mercer/expansion/reduced_set/selection.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

/// inverse: c_i = mean|a|/|a_i| with |a_i| the largest over the outputs.
enum class PenaltyWeights { equal, inverse };

struct L1Result {
  Matrix<double> coefficients;  ///< centres × outputs, with rows of 0
  std::vector<Index> chosen;    ///< rows that are not 0, ascending
  double penalty = 0;           ///< λ
  Index sweeps = 0;
  SolveStatus status = SolveStatus::converged;  ///< iteration_limit: after 5000 sweeps (a nearly singular K)
};

/// For a given λ ≥ 0. Converged where no coordinate's conditions are violated by more than 1e-8 of the largest |K a|.
/// m² numbers, about m² operations a sweep.
L1Result l1_reduction(const ReductionTarget& target, double penalty, PenaltyWeights weights, const Run& run);

/// The smallest λ found whose set has at most `size` centres. Bisection to 1 % of λ.
L1Result select_by_l1(const ReductionTarget& target, Index size, PenaltyWeights weights, const Run& run);

}  // namespace mercer
