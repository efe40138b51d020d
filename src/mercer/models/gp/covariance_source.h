// Where the covariance of a fitted Gaussian process comes from: the few numbers that a model file keeps, and the large
// factor that is made from them when a variance is first asked for. Loading a model and predicting means costs nothing
// of it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/models/gp/inference/posterior.h"

namespace mercer {

/// exact: (K + diagonal + jitter)⁻¹ by Cholesky. float_factor: the same by a factor in single precision, by conjugate
/// gradients where that is not good enough (iterative.h). iterative: by conjugate gradients. curvature: (K + diagonal⁻¹)⁻¹, diagonal = W of an approximation. stored: the terms themselves.
enum class CovarianceKind { exact, float_factor, iterative, curvature, stored };

struct CovarianceSource {
  CovarianceKind kind = CovarianceKind::exact;
  std::vector<double> diagonal = {};  ///< per centre: noise variances, or curvatures
  double jitter = 0;                  ///< absolute, of `exact`
  Index rank = 0;                     ///< of the preconditioner of `iterative`; 0: chosen
  std::vector<TriangularReduction::Term> terms = {};
};

/// Made when it is first needed, once, whichever thread comes first.
class LazyReduction final : public CovarianceReduction {
 public:
  using Maker = std::function<std::shared_ptr<const CovarianceReduction>(const Run& run)>;
  explicit LazyReduction(Maker maker) : maker_(std::move(maker)) {}

  void diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const override;
  void full(MatrixView<double> k, MatrixView<double> out, const Run& run) const override;

 private:
  const CovarianceReduction& made(const Run& run) const;

  Maker maker_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const CovarianceReduction> made_;
};

/// The reduction that the source describes. The terms of `stored` are copied.
std::shared_ptr<const CovarianceReduction> make_reduction(const CovarianceSource& source, const Kernel& kernel,
                                                          const Samples& centers);

}  // namespace mercer
