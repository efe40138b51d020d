// Variances from a system that is solved by iteration (models/gp/iterative/iterative.h): k(x)' (K + noise)^-1 k(x') for blocks of
// samples.
#pragma once

#include <memory>
#include <span>

#include "mercer/models/gp/inference/posterior.h"
#include "mercer/models/gp/iterative/iterative.h"

namespace mercer {

/// M = (K + noise)^-1 by the same iteration, for blocks of columns. With x ≈ M k and r = k - (K + noise)x, the value
/// k'x + r'x is below k'Mk by r'Mr, the square of the error: variances are never too small. The residual is at most
/// `tolerance` |k|, and small enough for r'Mr <= |r|²/noise to be below 1e-4 of the noise, whatever the size of K. Per block of 64 samples as many products with K as a solution, and one. Fewer iterations cost
/// less and give wider variances, still from above: one or two are enough with a float factor.
class IterativeReduction final : public CovarianceReduction {
 public:
  explicit IterativeReduction(std::shared_ptr<const IterativeSystem> system, double tolerance = 1e-5,
                              Index max_iterations = 200);

  void diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const override;
  void full(MatrixView<double> k, MatrixView<double> out, const Run& run) const override;

 private:
  std::shared_ptr<const IterativeSystem> system_;
  double tolerance_;
  Index max_iterations_;
};

/// M by the float factor alone, without refinement: n² flops in float per sample, error of order 1e-7 |k|²/noise.
class FloatFactorReduction final : public CovarianceReduction {
 public:
  /// InvalidArgument where the system has no float factor, or none that is good enough (has_exact_variances()).
  explicit FloatFactorReduction(std::shared_ptr<const IterativeSystem> system);

  void diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const override;
  void full(MatrixView<double> k, MatrixView<double> out, const Run& run) const override;

 private:
  std::shared_ptr<const IterativeSystem> system_;
};

/// The float factor alone where it is good enough, the iteration otherwise.
std::shared_ptr<const CovarianceReduction> iterative_variances(std::shared_ptr<const IterativeSystem> system);

}  // namespace mercer
