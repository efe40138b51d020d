// Relevance vector regression with proper priors of the weights, on all functions at once. Every precision has a
// Gamma(a, b) prior, and is either estimated or integrated out:
//
//   gamma     precisions and noise where the evidence times the priors (as densities of ln α, ln 1/σ²) is largest:
//             α_i = (γ_i + 2a)/(μ_i² + 2b), γ_i = 1 − α_iΣ_ii
//   student   p(w) = ∫ N(w | 0, 1/α) Gamma(α | a, b) dα, Student's t:
//             b^a Γ(a + ½)/(√(2π) Γ(a)) (b + w²/2)^−(a + ½); the weights at a mode of the posterior, found by repeated
//             weighted ridge regression with α_i = (2a + 1)/(2b + w_i²)
//
// A rate b > 0 bounds every precision, α ≤ (1 + 2a)/(2b): nothing leaves the model, weights only become small. Functions
// go where b is so small that the data determine less than 1e-10 of a weight. References: Tipping (2001), 5.1; Schölkopf
// & Smola (2002), (16.114)-(16.135) with the hyperprior terms of (16.131) put right.
#pragma once

#include <span>

#include "mercer/solvers/relevance/relevance_basis.h"
#include "mercer/solvers/relevance/relevance_regression.h"

namespace mercer {

enum class WeightPriorKind { gamma, student };

struct WeightPrior {
  WeightPriorKind kind = WeightPriorKind::gamma;
  double shape = 1e-4;  ///< a, not negative
  double rate = 1e-4;   ///< b, not negative; positive where the shape is
};

/// ln of the density of Student's t above, a and b positive.
double log_weight_density(const WeightPrior& prior, double weight);

/// Of the result, `evidence` is the logarithm of the evidence times the priors (gamma, up to the constants of the priors)
/// or of the posterior density of the weights (student, up to the same); `history` never falls at the same noise, and
/// never at all for gamma. n·c² + c³ operations per iteration and c·(n + 3c) numbers of memory for c columns.
/// InvalidArgument for a prior that no precision is best under.
RelevanceFit relevance_with_prior(const RelevanceBasis& basis, std::span<const double> targets,
                                  std::span<const double> weights, const WeightPrior& prior,
                                  const RelevanceOptions& options, const Run& run);

}  // namespace mercer
