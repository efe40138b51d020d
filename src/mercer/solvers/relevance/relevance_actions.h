// What a relevance vector machine can do to one basis function, and what it is worth. With the other functions held, the
// logarithm of the evidence depends on the precision α of one weight by
//
//   l(α) = ½ (ln α − ln(α + s) + q²/(α + s)),     s = φᵀC⁻¹φ, q = φᵀC⁻¹y    (C: the evidence's covariance without φ)
//
// whose only maximum is α = s²/(q² − s) if q² > s, and α = ∞ (the function goes) otherwise. For functions that are in the
// model s = 1/Σ_ii − α_i and q = μ_i/Σ_ii, so that the precisions of the functions in use are improved without a look at
// the data: M² operations a step. References: Tipping & Faul (2003), Fast marginal likelihood maximisation for sparse
// Bayesian models; Schölkopf & Smola (2002), 16.6.
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// The precision that is best for a function with these factors; infinity where it is best left out.
double best_precision(double s, double q);

/// l(α); 0 for α = ∞.
double precision_evidence(double precision, double s, double q);

/// l at the best precision: what adding a function gains. Never negative.
double gain_of_adding(double s, double q);

/// Gaussian posterior of the weights of the functions in use, M of them.
struct WeightPosterior {
  std::vector<double> precisions;  ///< of the prior; infinity: gone
  std::vector<double> mean;        ///< μ
  Matrix<double> covariance;       ///< Σ
};

struct ImprovedPrecisions {
  std::vector<double> precisions;  ///< infinity: the function is best deleted
  double gain = 0;                 ///< of the logarithm of the evidence
};

/// Takes the action (a new precision or a deletion) of largest gain until none gains more than `tolerance`, or
/// `max_steps` are done; follows μ and Σ by rank-one changes, whose rounding is the caller's to check.
ImprovedPrecisions improved_precisions(const WeightPosterior& posterior, double tolerance, Index max_steps,
                                       const Run& run);

}  // namespace mercer
