// Kernel PCA: the directions of feature space along which the samples vary most.
//
//   centred K̃ = (1 − ecᵀ) K (1 − ceᵀ), c_i = w_i/Σw;   √W K̃ √W u = κ u;   v = Σ_i α_i Φ(x_i), α = √W u/√κ, ‖v‖ = 1
//   features  ⟨v, Φ(x) − μ⟩ = Σ_i α_i k(x_i, x) − Σ_i α_i (Kc)_i;   variance κ/Σw, uncorrelated
//
// A weight w is w repetitions of its row. Σ_i α_i = 0 with centring, so that a kernel which is positive only
// conditionally, of order 1, will do. Without centring c = 0 and the offsets are 0. References: Schölkopf, Smola &
// Müller (1998); Schölkopf & Smola (2002), (14.12)-(14.17), (2.87); problem 14.5 for what centring means for new
// samples.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

enum class FeatureOrigin { mean, zero };

struct KernelPcaOptions {
  Index components = 0;                        ///< at most so many; 0: all
  FeatureOrigin origin = FeatureOrigin::mean;  ///< mean: centred
  double tolerance = 1e-9;  ///< components with κ ≤ tolerance · κ_1 are dropped, and those of rounding

  void validate() const;
};

struct KernelPca {
  std::vector<Index> rows;           ///< the centres: rows of the Gram matrix, ascending but for `pivoted`
  Matrix<double> coefficients;       ///< α, centres × components; the entry of largest size of a column is positive
  std::vector<double> offsets;       ///< per component
  std::vector<double> variances;     ///< κ/Σw, falling
  double total_variance = 0;         ///< tr(√W K̃ √W)/Σw, without the negative eigenvalues where all are known
  std::vector<double> mean_weights;  ///< the mean as an expansion in the centres; empty without centring
  double mean_norm = 0;              ///< ‖μ‖² (without a meaning of its own for a conditional kernel)
  Index negative = 0;                ///< how many eigenvalues below −tolerance · κ_1 were dropped, where all are known
  double most_negative = 0;          ///< κ/Σw
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;  ///< products with K, or epochs
  double residual = 0;   ///< largest ‖√W K̃ √W u − κu‖/κ_1

  Index components() const { return coefficients.columns(); }
};

/// By a full eigendecomposition in double: about 9 n³ operations on one thread and 5 n² numbers. Weights (empty: all 1)
/// are positive. Eigenvalues to about n·1e-16·κ_1. InvalidArgument for weights that do not fit; NumericalError where
/// kernel values are not finite.
KernelPca kernel_pca(const Gram<double>& gram, std::span<const double> weights, const KernelPcaOptions& options,
                     const Run& run);

/// The leading components (options.components ≥ 1) by block Krylov steps that begin at the components of a random part
/// of the rows: a few products of about 2·components columns with a K that is never stored, memory about 600·n numbers
/// for 10 components. Stops at a residual of 1e-4·κ_1 in float and 1e-8·κ_1 in double: eigenvalues are then right to
/// about the square of that over the relative gap, directions to that over the gap; float kernel values add about
/// 1e-6·κ_1.
template <class T>
KernelPca leading_kernel_pca(const Gram<T>& gram, std::span<const double> weights, const KernelPcaOptions& options,
                             const Run& run);

/// In the span of at most `rank` rows that pivoted Cholesky chooses; they are the only centres: n·rank kernel values,
/// O(n·rank²) operations, n·rank numbers twice. Variances are too small by at most what the span leaves out, which
/// counts to total_variance (an upper bound, then). Positive kernels, or with centring conditional ones of order 1.
KernelPca pivoted_kernel_pca(const Gram<double>& gram, std::span<const double> weights, Index rank,
                             const KernelPcaOptions& options, const Run& run);

/// The features of the rows of the fit, κ_c α_ic/w_i, without a kernel value; not for pivoted components.
Matrix<double> training_features(const KernelPca& pca, std::span<const double> weights);

}  // namespace mercer
