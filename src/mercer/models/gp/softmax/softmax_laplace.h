// Laplace's approximation for several classes: one latent function per class, all with the kernel k and independent
// beforehand, P(class c | f) = e^(f_c)/Σ_a e^(f_a).
//
// The curvature couples the classes at every sample, W = D − D(1/w)D summed over classes with D_c = wπ_c, so that
// (K⁻¹ + W)⁻¹ is had from one factorisation per class and one more: E_c = (K + D_c⁻¹)⁻¹, S = Σ_c E_c,
//
//   R_ab = δ_ab E_a − E_a S⁻¹ E_b,   ln det(I + KW) = Σ_c ln det(I + KD_c) + ln det S − Σ_i ln w_i.
//
// References: Williams & Barber (1998); Rasmussen & Williams (2006), algorithms 3.3 and 3.4 (whose evidence lacks the
// determinant of S).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/solve_status.h"
#include "mercer/models/gp/inference/approximation.h"

namespace mercer {

struct SoftmaxTargets {
  std::span<const std::int32_t> classes;  ///< in [0, count)
  Index count = 2;
  std::span<const double> weights = {};  ///< empty: all 1
};

/// The posterior of the latent functions at the training samples, in the form that covariances elsewhere need.
class SoftmaxReduction {
 public:
  /// K (lower triangle) and the latent values n × classes at the mode. classes · n³ flops and n² numbers per class.
  SoftmaxReduction(ConstMatrixView<double> kernel, const SoftmaxTargets& targets, ConstMatrixView<double> latent,
                   const Run& run);

  Index classes() const { return static_cast<Index>(reductions_.size()); }
  /// out(i, a · classes + b) = the covariance of f_a and f_b at the sample with kernel values k_i to the training
  /// samples (rows of k) and prior variance prior_i. classes · n² flops per sample.
  void covariances(ConstMatrixView<double> k, std::span<const double> prior, MatrixView<double> out,
                   const Run& run) const;

 private:
  friend class SoftmaxSearch;
  SoftmaxReduction() = default;
  void factor(ConstMatrixView<double> kernel, const SoftmaxTargets& targets, ConstMatrixView<double> latent,
              const Run& run);

  std::vector<Matrix<double>> reductions_;      // E_c, both triangles
  std::vector<std::vector<double>> variances_;  // of (K⁻¹ + D_c)⁻¹
  Matrix<double> sum_factor_;                   // of S
  double log_determinant_ = 0;
};

struct SoftmaxLaplaceOptions {
  double tolerance = 1e-9;  ///< of max|α − ∇|
  Index max_iterations = 100;
  ApproximationGoal goal = ApproximationGoal::posterior;
};

struct SoftmaxLaplace {
  SolveStatus status = SolveStatus::converged;
  Index iterations = 0;
  double residual = 0;
  Matrix<double> alpha;   ///< n × classes: f_c(x) = Σ_i α_ic k(x_i, x)
  Matrix<double> latent;  ///< n × classes
  double log_evidence = 0;
  std::shared_ptr<const SoftmaxReduction> reduction;  ///< goal = posterior
  Matrix<double> kernel_weights;                      ///< goal = gradient: as in LatentApproximation
};

/// K is n × n, of which the lower triangle is read. `start` is the α of an earlier call, or empty. Per step about
/// classes · n³ flops; the gradient adds about 5 · classes · n³. InvalidArgument for classes out of range and sizes that
/// do not fit, NumericalError where the matrix is not positive, Stopped.
SoftmaxLaplace softmax_laplace(ConstMatrixView<double> kernel, const SoftmaxTargets& targets,
                               ConstMatrixView<double> start, const SoftmaxLaplaceOptions& options, const Run& run);

}  // namespace mercer
