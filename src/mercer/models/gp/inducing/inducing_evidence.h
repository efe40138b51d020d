// Evidence of Gaussian processes with inducing points and its derivatives by the kernel's parameters and the noise, by
// contraction: with α = (Q + Λ)^-1 Y and W = αα' - p (Q + Λ)^-1 (p outputs)
//
//   ∂F/∂K_uf = T (W + diag e),   ∂F/∂K_uu = -½ T (W + diag e) T',   T = K_uu^-1 K_uf
//
// where e is 0, -diag W (FITC) or p/noise (variational), and ∂F/∂diag K is 0, ½ diag W or -p/(2 noise). With weights w
// W_ii becomes W_ii/w - p (w - 1)/(w Λ_ii) in the diagonals of FITC, and noise becomes noise/w.
#pragma once

#include <vector>

#include "mercer/models/gp/inducing/inducing_system.h"

namespace mercer {

struct InducingEvidence {
  double value = 0;                     ///< log evidence of all outputs, or its lower bound (variational)
  std::vector<double> kernel_gradient;  ///< by the kernel's parameters, in the order of scale_parameters()
  std::vector<double> noise_gradient;   ///< one per entry of the problem's noise, that of one copy
  double jitter = 0;                    ///< added to the diagonal of K_uu; its own derivative is part of the gradient
};

/// O(n m²) time, n × m numbers of memory. The inducing samples stay where they are.
InducingEvidence inducing_evidence(const InducingProblem& problem, const Run& run);

}  // namespace mercer
