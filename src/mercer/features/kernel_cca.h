// Kernel canonical correlation: the functions of two views of the same samples that correlate most,
//
//   max_{u, v}  u'C_xy v / √(u'(C_xx + ε_x 1)u · v'(C_yy + ε_y 1)v)
//
// with C the covariances of Φ(x) and Ψ(y). Without ε every function fits every other on a full-rank kernel and all
// correlations are 1; ε = κ tr C, so that κ means the same for kernels of any scale. With linear kernels and κ → 0 this is
// Hotelling's canonical correlation analysis, with large κ partial least squares.
// References: Hotelling (1936); Bach & Jordan (2002), Kernel independent component analysis; Hardoon, Szedmak &
// Shawe-Taylor (2004), Canonical correlation analysis: an overview with application to learning methods.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct KernelCcaOptions {
  Index components = 10;
  double regularization = 0.01;  ///< κ of the first view; not negative
  double target_regularization = 0.01;

  void validate() const;
};

struct KernelCca {
  std::vector<double> correlations;         ///< u'C_xy v of the regularised problem, falling, in [0, 1]
  std::vector<double> sample_correlations;  ///< of the two functions over the sample, without regularisation
  Matrix<double> x_directions;  ///< r_x × components, u'C_xx u = 1: features have variance 1 over the sample
  Matrix<double> y_directions;
};

/// From centred coordinates of both views, rows √p_i (f_i − mean) (features/pivot_coordinates.h). Components of
/// correlation 0 (1e-7) are left out: there are at most min(r_x, r_y). O(n r² + r³). NumericalError where κ = 0 and a
/// covariance is singular.
KernelCca kernel_cca(ConstMatrixView<double> x, ConstMatrixView<double> y, const KernelCcaOptions& options,
                     const Run& run);

}  // namespace mercer
