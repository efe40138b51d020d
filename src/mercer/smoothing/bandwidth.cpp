#include "mercer/smoothing/bandwidth.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"

namespace mercer {

Bandwidth Bandwidth::scalar(double width, Index dimension) { return diagonal(std::vector<double>(dimension, width)); }

Bandwidth Bandwidth::diagonal(std::vector<double> widths) {
  const auto d = static_cast<Index>(widths.size());
  Matrix<double> factor = Matrix<double>::filled(d, d, 0.0);
  for (Index j = 0; j < d; ++j) {
    factor(j, j) = widths[j];
  }
  return from_factor(factor.view());
}

Bandwidth Bandwidth::full(ConstMatrixView<double> matrix, const Run& run) {
  Matrix<double> factor = Matrix<double>::copy_of(matrix);
  const CholeskyStatus status = try_cholesky(factor.view(), run);
  if (!status.ok) {
    throw NumericalError("the bandwidth matrix is not positive definite: column " + std::to_string(status.failed_at) +
                         " (counted from 0) depends linearly on those before it. Leave it out, or use form = diagonal");
  }
  for (Index i = 0; i < factor.rows(); ++i) {
    std::fill(&factor(i, i) + 1, factor.data() + (i + 1) * factor.columns(), 0.0);
  }
  return from_factor(factor.view());
}

Bandwidth Bandwidth::from_factor(ConstMatrixView<double> factor) {
  Bandwidth result;
  result.dimension_ = factor.rows();
  if (factor.rows() != factor.columns()) {
    throw InvalidArgument("a bandwidth of " + std::to_string(factor.rows()) + " rows and " +
                          std::to_string(factor.columns()) + " columns; it must be square");
  }
  result.factor_.assign(factor.rows() * factor.rows(), 0.0);
  for (Index i = 0; i < factor.rows(); ++i) {
    if (!(factor(i, i) > 0) || !std::isfinite(factor(i, i))) {
      reject_argument("bandwidth", factor(i, i), "positive and finite");
    }
    for (Index j = 0; j <= i; ++j) {
      if (!std::isfinite(factor(i, j))) {
        reject_argument("bandwidth", factor(i, j), "finite");
      }
      result.factor_[i * factor.rows() + j] = factor(i, j);
      result.is_diagonal_ = result.is_diagonal_ && (j == i || factor(i, j) == 0);
    }
  }
  return result;
}

double Bandwidth::width(Index axis) const { return nrm2(factor().row(axis)); }

double Bandwidth::log_determinant() const {
  double sum = 0;
  for (Index j = 0; j < dimension(); ++j) {
    sum += std::log(factor()(j, j));
  }
  return sum;
}

Bandwidth Bandwidth::scaled(double times) const {
  Matrix<double> copy = Matrix<double>::copy_of(factor());
  mercer::scale(times, {copy.data(), static_cast<std::size_t>(copy.rows() * copy.columns())});
  return from_factor(copy.view());
}

Bandwidth Bandwidth::marginal(std::span<const Index> axes) const {
  const auto d = static_cast<Index>(axes.size());
  Matrix<double> block(d, d);
  for (Index a = 0; a < d; ++a) {
    for (Index b = 0; b < d; ++b) {
      block(a, b) = dot(factor().row(axes[a]), factor().row(axes[b]));
    }
  }
  return full(block.view());
}

Matrix<double> Bandwidth::whiten(ConstMatrixView<double> x) const {
  Matrix<double> u = Matrix<double>::copy_of(x);
  if (!is_diagonal_) {
    // Rows: (L^−1 xᵀ)ᵀ = x L^−T.
    trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, factor(), u.view());
    return u;
  }
  for (Index i = 0; i < u.rows(); ++i) {
    for (Index j = 0; j < u.columns(); ++j) {
      u(i, j) /= factor()(j, j);
    }
  }
  return u;
}

void Bandwidth::color(std::span<double> u) const {
  for (Index i = dimension() - 1; i >= 0; --i) {
    double sum = 0;
    for (Index j = 0; j <= i; ++j) {
      sum += factor()(i, j) * u[j];
    }
    u[i] = sum;
  }
}

}  // namespace mercer
