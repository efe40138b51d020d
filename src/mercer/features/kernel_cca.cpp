#include "mercer/features/kernel_cca.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/features/pivot_coordinates.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

// L with LLᵀ = C + κ tr C · 1.
Matrix<double> regular_factor(ConstMatrixView<double> rows, double kappa, const Run& run) {
  Matrix<double> covariance = cross_product(rows, run);
  double trace = 0;
  for (Index i = 0; i < covariance.rows(); ++i) {
    trace += covariance(i, i);
  }
  for (Index i = 0; i < covariance.rows(); ++i) {
    covariance(i, i) += kappa * trace;
  }
  if (!try_cholesky(covariance.view(), run).ok) {
    throw NumericalError("the covariance matrix of a view is singular: regularization above 0 is needed");
  }
  return covariance;
}

// Directions back from the whitened coordinates, scaled to functions of variance 1; gives their values on the sample.
Matrix<double> unit_functions(ConstMatrixView<double> factor, ConstMatrixView<double> rows, Matrix<double>& directions,
                              const Run& run) {
  trsm(Side::left, Uplo::lower, Transpose::yes, 1.0, factor, directions.view());
  Matrix<double> values(rows.rows(), directions.columns());
  parallel_gemm<double>(1, rows, Transpose::no, std::as_const(directions).view(), Transpose::no, 0, values.view(), run);
  for (Index c = 0; c < values.columns(); ++c) {
    double square = 0;
    for (Index i = 0; i < values.rows(); ++i) {
      square += values(i, c) * values(i, c);
    }
    const double factor_to_one = square > 0 ? 1 / std::sqrt(square) : 0.0;
    for (Index i = 0; i < values.rows(); ++i) {
      values(i, c) *= factor_to_one;
    }
    for (Index i = 0; i < directions.rows(); ++i) {
      directions(i, c) *= factor_to_one;
    }
  }
  return values;
}

}  // namespace

void KernelCcaOptions::validate() const {
  if (components < 1) {
    reject_argument("components", static_cast<double>(components), "1 or more");
  }
  if (!(regularization >= 0) || !std::isfinite(regularization)) {
    reject_argument("regularization", regularization, "finite and not negative");
  }
  if (!(target_regularization >= 0) || !std::isfinite(target_regularization)) {
    reject_argument("target_regularization", target_regularization, "finite and not negative");
  }
}

KernelCca kernel_cca(ConstMatrixView<double> x, ConstMatrixView<double> y, const KernelCcaOptions& options,
                     const Run& run) {
  options.validate();
  if (x.rows() != y.rows()) {
    throw InvalidArgument("views of " + std::to_string(x.rows()) + " and " + std::to_string(y.rows()) +
                          " samples: both must be of the same samples");
  }
  const Matrix<double> factor_x = regular_factor(x, options.regularization, run);
  const Matrix<double> factor_y = regular_factor(y, options.target_regularization, run);
  // M = L_x⁻¹ C_xy L_y⁻ᵀ; its singular vectors from the smaller of MMᵀ and MᵀM.
  Matrix<double> m = cross_product(x, y, run);
  trsm(Side::left, Uplo::lower, Transpose::no, 1.0, factor_x.view(), m.view());
  trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, factor_y.view(), m.view());
  const bool short_x = x.columns() <= y.columns();
  const Index r = std::min(x.columns(), y.columns());
  Matrix<double> square(r, r);
  parallel_syrk<double>(1, std::as_const(m).view(), short_x ? Transpose::no : Transpose::yes, 0, square.view(), run);
  const SymmetricEigen<double> eigen = symmetric_eigen(std::as_const(square).view(), run);
  KernelCca result;
  Index kept = 0;
  while (kept < std::min(options.components, r) && eigen.values[r - 1 - kept] > 1e-14) {
    const double value = eigen.values[r - 1 - kept];
    result.correlations.push_back(std::min(1.0, std::sqrt(value)));
    ++kept;
  }
  Matrix<double> near(r, kept);
  for (Index c = 0; c < kept; ++c) {
    for (Index i = 0; i < r; ++i) {
      near(i, c) = eigen.vectors(i, r - 1 - c);
    }
  }
  fix_signs(near.view());
  Matrix<double> far(std::max(x.columns(), y.columns()), kept);
  parallel_gemm<double>(1, std::as_const(m).view(), short_x ? Transpose::yes : Transpose::no,
                        std::as_const(near).view(), Transpose::no, 0, far.view(), run);
  if (!short_x) {
    std::swap(near, far);
  }
  result.x_directions = std::move(near);
  result.y_directions = std::move(far);
  const Matrix<double> values_x = unit_functions(factor_x.view(), x, result.x_directions, run);
  const Matrix<double> values_y = unit_functions(factor_y.view(), y, result.y_directions, run);
  for (Index c = 0; c < kept; ++c) {
    double correlation = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      correlation += values_x(i, c) * values_y(i, c);
    }
    result.sample_correlations.push_back(correlation);
  }
  return result;
}

}  // namespace mercer
