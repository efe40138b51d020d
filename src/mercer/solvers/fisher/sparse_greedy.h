// Sparse greedy Gaussian process regression with two-sided bounds (Schölkopf & Smola (2002), 16.4.3-16.4.6 and
// algorithm 16.1; Smola & Bartlett (2001)). Two quadratic forms have the same minimiser α = (K + σ²1)^-1 y,
//
//   Q(α)  = -y'Kα + ½ α'(σ²K + K'K)α     minus the log posterior, up to a constant
//   Q*(α) = -y'α  + ½ α'(σ²1 + K)α
//
// and Q_min + σ² Q*_min = -½ y'y, so any α and α* give  Q(α) >= Q_min >= -½ y'y - σ² Q*(α*). Both are decreased on
// growing sets of basis functions, one for Q and one for Q*: each step takes the best of κ random candidates. It ends
// when the bounds are so close that the posterior is known to a stated accuracy, whatever the exact solution is.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

/// The number of random candidates of which, with probability 1 - eta, the best is among the best fraction 1 - q of
/// all: the smallest integer >= ln(eta)/ln(q). 59 for q = .95, eta = .05. Both in (0, 1).
Index greedy_candidate_count(double q, double eta);

struct SparseGreedyOptions {
  double gap = 0.025;         ///< stop at 2(Q - bound)/(|Q| + |bound|) <= gap
  Index candidates = 59;      ///< per step and set; all where fewer are left
  Index max_size = 0;         ///< basis functions of either set; 0: every sample
  double dependence = 1e-10;  ///< candidates whose squared distance to the span of the set is less, relatively, never
                              ///< enter it

  void validate() const;
};

/// One of the two expansions.
struct GreedyExpansion {
  std::vector<Index> basis;          ///< samples, in the order in which they came
  std::vector<double> coefficients;  ///< one each
  Matrix<double> factor;             ///< lower Cholesky factor of the form's matrix on the basis
};

/// After each step; the first entry is the start, with nothing.
struct SparseGreedyStep {
  Index size = 0;        ///< of the basis for Q
  Index bound_size = 0;  ///< of the basis for Q*
  double q = 0;          ///< never increases, never below Q_min
  double lower = 0;      ///< of Q_min; never decreases
  double gap = 2;
};

struct SparseGreedyResult {
  SolveStatus status = SolveStatus::converged;  ///< stalled: only dependent candidates are left, but the gap is open
  GreedyExpansion posterior;                    ///< for Q: factor of K_S'K_S + σ²K_SS; the regression function
  GreedyExpansion bound;                        ///< for Q*: factor of K_SS + σ²1
  Matrix<double> basis_rows;                    ///< K(S, :) of the basis for Q, |S| × n
  std::vector<SparseGreedyStep> history;

  const SparseGreedyStep& last() const { return history.back(); }
};

/// Algorithm 16.1 for one vector of targets. O(κ n m²) time for m basis functions, matrix products and κ n m kernel
/// values; (m + κ) n numbers of memory. Candidates come from run.seed(). Never throws Stopped: a stop returns what
/// there is. InvalidArgument for a noise variance that is not positive and targets that are not finite.
SparseGreedyResult sparse_greedy(const Gram<double>& gram, std::span<const double> targets, double noise,
                                 const SparseGreedyOptions& options, const Run& run);

}  // namespace mercer
