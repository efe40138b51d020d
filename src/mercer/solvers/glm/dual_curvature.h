// DualCurvature: R = (K̃ + W⁻¹)⁻¹ for the curvature W of a generalized linear model, as dual_newton.h uses it: diagonal for
// one output, coupled across the classes of every row for the multinomial.
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/glm/glm_family.h"

namespace mercer {

class DualCurvature {
 public:
  /// K̃ = scale·K (lower triangle read), which must outlive this.
  DualCurvature(ConstMatrixView<double> kernel, double scale, const Run& run);

  /// At these means (n × C): C = 1, or the multinomial. Sets the determinant too. NumericalError where K is not positive
  /// semidefinite.
  void factor(const GlmTargets& targets, ConstMatrixView<double> means);
  /// v = R v, v n × C.
  void apply(MatrixView<double> v) const;
  /// K̃ v.
  Matrix<double> multiply(ConstMatrixView<double> v) const;
  /// About what rounding of the sums K̃v makes of WK̃v, at most.
  double rounding(ConstMatrixView<double> v) const;
  /// ln det(I + K̃W).
  double log_determinant() const { return log_determinant_; }

 private:
  void factor_one(std::span<const double> curvature, Matrix<double>& out) const;

  ConstMatrixView<double> kernel_;
  double scale_;
  Run run_;
  Matrix<double> diagonal_;              // n × C: curvatures D_c (C = 1: W)
  std::vector<Matrix<double>> inverse_;  // E_c, both triangles; C = 1: the factor of I + W^½K̃W^½
  Matrix<double> sum_;                   // the factor of S
  double log_determinant_ = 0;
};

}  // namespace mercer
