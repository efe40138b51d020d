// What approximate inference for a Gaussian process gives, whichever engine found it (Laplace, expectation propagation,
// variational): a Gaussian N(Kα, (K⁻¹ + W)⁻¹) in place of the posterior at the training samples, the logarithm of the
// approximate evidence, and its derivatives.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/models/gp/inference/posterior.h"

namespace mercer {

/// What is computed beside the evidence. `gradient`: the weights of the kernel's derivatives and the derivatives by the
/// likelihood's parameters, about n³ flops more. `posterior`: the reduction that predictive variances need.
enum class ApproximationGoal { evidence, gradient, posterior };

struct LatentApproximation {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  double residual = 0;            ///< of the fixed point that the engine looks for, relative
  std::vector<double> alpha;      ///< the mean is m(x) = Σ_i α_i k(x_i, x)
  std::vector<double> latent;     ///< Kα
  std::vector<double> precision;  ///< W: curvatures or site precisions; rebuilds the reduction (posterior_reduction)
  double log_evidence = 0;
  /// goal = posterior: M of GaussianPosterior.
  std::shared_ptr<const CovarianceReduction> reduction;
  /// goal = gradient: symmetric, n × n, both triangles; ∂ ln Z/∂θ = Σ_ij q_ij ∂K_ij/∂θ (gram/contraction.h).
  Matrix<double> kernel_weights;
  /// goal = gradient: ∂ ln Z by Likelihood::parameters().
  std::vector<double> likelihood_gradient;

  /// Laplace: the curvature nearly vanishes at the mode in some direction, so that the normal distribution is far wider
  /// than the posterior and the evidence too high.
  bool is_flat = false;

  /// Whether the evidence and its derivatives can guide a search: they hold at the fixed point, and next to it.
  bool can_guide() const { return (status == SolveStatus::converged || residual <= 1e-3) && !is_flat; }
};

}  // namespace mercer
