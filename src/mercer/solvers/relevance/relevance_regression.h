// Relevance vector regression: y = Φμ + noise with a precision α_j of its own for the weight of every basis function, the
// precisions and the noise variance σ² where the evidence is largest,
//
//   ln p(y | α, σ²) = −½ (m ln 2πσ² + ln det H − Σ ln α_j + yᵀW(y − Φμ)/σ²)
//   H = ΦᵀWΦ/σ² + A = Σ⁻¹,   μ = ΣΦᵀWy/σ²,   m = Σ w_i
//
// by the fast sequential algorithm: functions are added one at a time, the one of largest gain first, and the functions
// in use are re-estimated or deleted in between, so that only they are ever factored. Most precisions end at infinity:
// their functions are not in the model. References: Tipping (2001), Sparse Bayesian learning and the relevance vector
// machine; Tipping & Faul (2003), Fast marginal likelihood maximisation for sparse Bayesian models; Schölkopf & Smola
// (2002), 16.6.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/solvers/relevance/relevance_basis.h"

namespace mercer {

struct RelevanceOptions {
  double tolerance = 1e-3;           ///< of the logarithm of the evidence: actions that gain less are not taken
  Index max_iterations = 10000;      ///< additions
  Index max_functions = 0;           ///< in use at most; 0: any number
  std::optional<double> noise = {};  ///< variance; learnt where it is not given (regression)
  double noise_shape = 0;            ///< c and d of a Gamma prior of 1/σ² (regression); 0: flat in ln σ²
  double noise_rate = 0;
};

struct RelevanceFit {
  std::vector<Index> columns;      ///< of the basis, ascending
  std::vector<double> precisions;  ///< α per such column
  std::vector<double> weights;     ///< μ
  Matrix<double> root;             ///< M × M with Σ = root rootᵀ
  double noise = 0;                ///< σ²; 0 for classification
  double evidence = 0;             ///< its logarithm, with the logarithm of the noise's prior (up to its constant)
  std::vector<double> history;     ///< of the evidence, per iteration; never falls
  Index iterations = 0;
  SolveStatus status = SolveStatus::converged;
};

/// `weights` count rows (a weight of 2 is the row twice); empty: all 1. Targets should have mean 0 if there is to be no
/// prior on their level. With c columns and M functions in use: c·n kernel values kept or computed per addition,
/// 2c(n + M²) operations per addition. σ² stays above 1e-6 of the targets' mean square, which bounds the condition of H.
RelevanceFit relevance_regression(const RelevanceBasis& basis, std::span<const double> targets,
                                  std::span<const double> weights, const RelevanceOptions& options, const Run& run);

}  // namespace mercer
