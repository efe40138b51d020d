// Laplace's approximation: the posterior of the latent values f ~ N(0, K) is replaced by the normal distribution around
// its mode with the curvature there,
//
//   ψ(f) = Σ_i w_i ln p(y_i | f_i) − ½ fᵀK⁻¹f,   W = −∂² of the first term,   ln Z ≈ ψ(f̂) − ½ ln det(I + KW).
//
// The mode is found by Newton's method in α = K⁻¹f, which needs no inverse of K: b = Wf + ∇, α' = b − W^½B⁻¹W^½Kb with
// B = I + W^½KW^½ (the order of K and W matters: the other one need not converge), with step halving, so that ψ never
// falls. Curvatures of both signs (Student-t, label noise): the full Hessian where it is positive, the positive
// curvatures alone where it is not. A point without slope where the Hessian is not positive is a saddle or a minimum of
// the posterior: the search leaves it along the direction that curves upwards most. References: Rasmussen & Williams (2006), 3.4 and 5.5; Vanhatalo, Jylänki & Vehtari
// (2009).
#pragma once

#include <span>

#include "mercer/base/run.h"
#include "mercer/linalg/view.h"
#include "mercer/models/gp/inference/approximation.h"
#include "mercer/models/likelihoods/likelihood.h"

namespace mercer {

struct LaplaceOptions {
  double tolerance = 1e-9;     ///< of max|α − ∇|, relative to 1 + max|∇|
  Index max_iterations = 200;  ///< Newton steps
  ApproximationGoal goal = ApproximationGoal::posterior;
};

/// What was observed. Weights multiply the terms of the log likelihood (empty: all 1).
struct Observations {
  std::span<const double> y;
  std::span<const double> weights = {};
};

/// InvalidArgument where the sizes do not fit or the likelihood does not accept a target.
void require_observations(ConstMatrixView<double> kernel, std::span<const double> y, const Likelihood& likelihood);

/// K is n × n, of which the lower triangle is read. `start` is the α of an earlier call with a similar K, or empty.
/// n³/3 flops per step and one n × n matrix of memory beside K (more where curvatures are negative); the gradient adds
/// n³. The end is a maximum of the posterior (one of them, where there are several). InvalidArgument for a likelihood
/// with a kink and targets that it does not accept, NumericalError where the matrix is not positive or the posterior has
/// no proper curvature where the search ends, Stopped.
LatentApproximation laplace(ConstMatrixView<double> kernel, const Observations& observations,
                            const Likelihood& likelihood, std::span<const double> start, const LaplaceOptions& options,
                            const Run& run);

/// The reduction of LatentApproximation from K (its lower triangle) and W, without any search: what a loaded model does.
/// n³/3 flops where W is not negative. NumericalError where W belongs to no posterior.
std::shared_ptr<const CovarianceReduction> posterior_reduction(Matrix<double> kernel, std::span<const double> precision,
                                                               const Run& run);

}  // namespace mercer
