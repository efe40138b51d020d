// The maximum a posteriori estimate under Laplacian noise, y = f + noise of density e^(−|noise|/b)/(2b), f ~ N(0, K):
//
//   min_f Σ_i w_i |y_i − f_i|/b + ½ fᵀK⁻¹f      dual:  min_α ½ αᵀKα − yᵀα,  |α_i| ≤ w_i/b,  f = Kα.
//
// The kink at y_i = f_i rules Newton's method out; the dual is a quadratic programme in a box, without K⁻¹. Coefficients
// inside the box belong to observations that f meets exactly, gross errors rest at the bound.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/linalg/view.h"
#include "mercer/models/gp/inference/laplace.h"

namespace mercer {

struct LaplacianNoiseMapOptions {
  double tolerance = 1e-6;  ///< of the KKT conditions, relative to max|y|
  Index max_steps = 0;      ///< of the programme's solver; 0: its default
};

struct LaplacianNoiseMap {
  SolveStatus status = SolveStatus::converged;
  Index steps = 0;
  std::vector<double> alpha;   ///< f(x) = Σ_i α_i k(x_i, x)
  std::vector<double> latent;  ///< Kα
  double log_posterior = 0;    ///< Σ w_i ln p(y_i | f_i) − ½ αᵀKα
  double gap = 0;              ///< primal minus dual value, not negative but for rounding
};

/// K is n × n, of which the lower triangle is read; a copy of it is made. InvalidArgument for a scale that is not
/// positive, targets that are not finite and sizes that do not fit, Stopped.
LaplacianNoiseMap laplacian_noise_map(ConstMatrixView<double> kernel, const Observations& observations, double scale,
                                      const LaplacianNoiseMapOptions& options, const Run& run);

}  // namespace mercer
