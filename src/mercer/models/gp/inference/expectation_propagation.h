// Expectation propagation: every likelihood term is replaced by a normal function of f_i (a site with precision τ_i and
// linear term ν_i) such that the moments of f_i under "all other sites times the true term" agree with those under all
// sites. More accurate than Laplace's approximation for skewed posteriors, and works for terms with a kink.
//
//   Σ = (K⁻¹ + diag τ)⁻¹,  μ = Σν;   cavity: 1/v₋ = 1/Σ_ii − τ_i,  m₋/v₋ = μ_i/Σ_ii − ν_i
//   τ' = −z₂/(1 + z₂v₋),  ν' = (z₁ − m₋z₂)/(1 + z₂v₋)   with z₁, z₂ the derivatives of ln Z_i(m₋, v₋) by m₋
//
// All sites are updated together, damped where that does not settle, with one factorisation per sweep. A site whose
// cavity has no variance (1/v₋ ≤ 0, which negative precisions of others can bring about) waits for the others; while one
// waits, the moments do not agree. At the fixed
// point the evidence is stationary in the sites, so that its gradient is the explicit one.
// References: Minka (2001); Rasmussen & Williams (2006), 3.6 and 5.5.2.
#pragma once

#include <span>

#include "mercer/base/run.h"
#include "mercer/linalg/view.h"
#include "mercer/models/gp/inference/approximation.h"
#include "mercer/models/likelihoods/likelihood.h"

namespace mercer {

struct ExpectationPropagationOptions {
  double tolerance = 1e-7;  ///< of means (in standard deviations) and relative variances, sites against moments
  Index max_sweeps = 500;
  ApproximationGoal goal = ApproximationGoal::posterior;
};

/// The sites to start from: those of an earlier call, or empty.
struct Sites {
  std::vector<double> precision;
  std::vector<double> linear;
};

struct ExpectationPropagation : LatentApproximation {
  Sites sites;
  /// Rows whose function value varies more than under the prior: sites of negative precision, that contradict each other.
  Index widened = 0;
};

/// K is n × n, of which the lower triangle is read. n³ flops per sweep, one n × n matrix of memory beside K.
/// Status converged: the moments of every site agree to the tolerance. stalled: they agree but for sites that wait and
/// will wait for ever; the residual is then infinite. InvalidArgument for targets that the likelihood does not accept,
/// NumericalError where the matrix is not positive, Stopped.
ExpectationPropagation expectation_propagation(ConstMatrixView<double> kernel, std::span<const double> y,
                                               const Likelihood& likelihood, const Sites& start,
                                               const ExpectationPropagationOptions& options, const Run& run);

}  // namespace mercer
