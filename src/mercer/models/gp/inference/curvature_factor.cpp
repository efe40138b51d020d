#include "mercer/models/gp/inference/curvature_factor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

// Curvatures below it are set to it: variances divide by them, and the quotients stay exact that way.
constexpr double least_factored_curvature = 1e-120;
constexpr Index row_block = 64;

}  // namespace

CurvatureFactor::CurvatureFactor(ConstMatrixView<double> kernel, const Run& run)
    : kernel_(kernel), run_(run), factor_(kernel.rows(), kernel.rows()) {}

void CurvatureFactor::factor(std::span<const double> curvature) {
  const Index n = kernel_.rows();
  curvature_.assign(curvature.begin(), curvature.end());
  roots_.resize(curvature.size());
  std::vector<Index> negative;
  for (std::size_t i = 0; i < curvature.size(); ++i) {
    roots_[i] = std::sqrt(std::max(curvature[i], least_factored_curvature));
    if (curvature[i] < 0) {
      negative.push_back(static_cast<Index>(i));
    }
  }
  if (factor_.rows() != n) {
    factor_ = Matrix<double>(n, n);
  }
  parallel_for(run_, block_count(n, row_block), [&](Index b) {
    const IndexRange rows = block_range(n, row_block, b);
    for (Index i = rows.begin; i < rows.end; ++i) {
      const double root = roots_[i];
      for (Index j = 0; j <= i; ++j) {
        factor_(i, j) = root * kernel_(i, j) * roots_[j];
      }
      factor_(i, i) += 1;
    }
  });
  if (const CholeskyStatus status = try_cholesky(factor_.view(), run_); !status.ok) {
    throw NumericalError("the kernel matrix is not numerically positive definite at row " +
                         std::to_string(status.failed_at) +
                         " (counted from 0): its values are too large against the noise, or not finite. A smaller "
                         "variance of the kernel or more noise helps");
  }
  correction_ = Matrix<double>();
  negative_ = Matrix<double>();
  negative_factor_ = Matrix<double>();
  rising_ = Matrix<double>();
  negative_log_determinant_ = 0;
  proper_ = true;
  if (!negative.empty()) {
    add_negative(negative);
  }
}

void CurvatureFactor::add_negative(std::span<const Index> rows) {
  const Index n = kernel_.rows();
  const auto m = static_cast<Index>(rows.size());
  Matrix<double> columns(n, m);  // K_N
  Matrix<double> projected(n, m);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < m; ++c) {
      const Index j = rows[c];
      columns(i, c) = i >= j ? kernel_(i, j) : kernel_(j, i);
      projected(i, c) = roots_[i] * columns(i, c);
    }
  }
  cholesky_solve<double>(factor_.view(), projected.view(), run_);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < m; ++c) {
      projected(i, c) *= -roots_[i];
    }
  }
  std::vector<double> depth(rows.size());
  for (Index c = 0; c < m; ++c) {
    const Index j = rows[c];
    projected(j, c) += 1;
    depth[c] = std::sqrt(-curvature_[j]);
  }
  Matrix<double> c_matrix(m, m);
  parallel_gemm<double>(-1.0, columns.view(), Transpose::yes, projected.view(), Transpose::no, 0.0, c_matrix.view(),
                        run_);
  correction_ = Matrix<double>(m, n);
  for (Index a = 0; a < m; ++a) {
    for (Index b = 0; b < m; ++b) {
      c_matrix(a, b) *= depth[a] * depth[b];
    }
    c_matrix(a, a) += 1;
    for (Index i = 0; i < n; ++i) {
      correction_(a, i) = depth[a] * projected(i, a);
    }
  }
  auto factored = Matrix<double>::copy_of(c_matrix.view());
  negative_ = std::move(c_matrix);
  proper_ = try_cholesky(factored.view(), run_).ok;
  if (!proper_) {
    rising_ = std::exchange(correction_, Matrix<double>());
    for (double& value : curvature_) {
      value = std::max(value, 0.0);
    }
    return;
  }
  solve_lower<double>(factored.view(), Transpose::no, correction_.view(), run_);
  negative_log_determinant_ = mercer::log_determinant(factored.view());
  negative_factor_ = std::move(factored);
}

// With Cu = λu the direction f = Σ₊_N √D u has fᵀ(K⁻¹ + W₊)f = 1 − λ and fᵀDf = (1 − λ)², so that
// fᵀ(K⁻¹ + W)f = λ(1 − λ); K⁻¹f = P_N √D u.
CurvatureFactor::Softest CurvatureFactor::softest() const {
  if (negative_.rows() == 0) {
    return {};
  }
  const SymmetricEigen<double> eigen = symmetric_eigen(negative_.view(), run_);
  Softest result{.curvature = eigen.values.front()};
  if (result.curvature > 0.9) {
    return result;
  }
  const Index m = negative_.rows();
  const Matrix<double>& rows = proper_ ? correction_ : rising_;
  const double length = 1 / std::sqrt(1 - result.curvature);
  result.direction.assign(kernel_.rows(), 0.0);
  for (Index a = 0; a < m; ++a) {
    double weight = proper_ ? 0.0 : eigen.vectors(a, 0);
    for (Index b = a; b < m && proper_; ++b) {
      weight += negative_factor_(b, a) * eigen.vectors(b, 0);  // the correction was divided by the factor
    }
    axpy(length * weight, rows.view().row(a), std::span<double>(result.direction));
  }
  return result;
}

double CurvatureFactor::log_determinant() const {
  return mercer::log_determinant(factor_.view()) + negative_log_determinant_;
}

void CurvatureFactor::apply(std::span<double> v) const {
  std::vector<double> part(correction_.rows(), 0.0);
  if (!part.empty()) {
    gemv(1.0, correction_.view(), Transpose::no, v, 0.0, part);
  }
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] *= roots_[i];
  }
  cholesky_solve<double>(factor_.view(), v, run_);
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] *= roots_[i];
  }
  if (!part.empty()) {
    gemv(-1.0, correction_.view(), Transpose::yes, part, 1.0, v);
  }
}

std::vector<double> CurvatureFactor::multiply(std::span<const double> v) const {
  std::vector<double> product(v.size());
  symv(1.0, kernel_, v, 0.0, product);
  return product;
}

std::vector<double> CurvatureFactor::project(std::span<const double> v) const {
  std::vector<double> result = multiply(v);
  apply(result);
  for (std::size_t i = 0; i < v.size(); ++i) {
    result[i] = v[i] - result[i];
  }
  return result;
}

CurvatureFactor::Inverse CurvatureFactor::inverse() {
  const Index n = kernel_.rows();
  cholesky_inverse(factor_.view(), run_);
  Inverse result{std::move(factor_), std::vector<double>(n, 0.0)};
  factor_ = Matrix<double>();
  Matrix<double>& r = result.reduction;
  // (K⁻¹ + W₊)⁻¹W₊ = KR₊: the diagonal of KR₊, over W₊.
  for (Index i = 0; i < n; ++i) {
    const double root = roots_[i];
    double sum = 0;
    for (Index j = 0; j < i; ++j) {
      r(i, j) *= root * roots_[j];
      const double product = kernel_(i, j) * r(i, j);
      sum += product;
      result.variances[j] += product;
    }
    r(i, i) *= root * root;
    result.variances[i] += sum + kernel_(i, i) * r(i, i);
  }
  for (std::size_t i = 0; i < result.variances.size(); ++i) {
    result.variances[i] /= roots_[i] * roots_[i];
  }
  if (correction_.rows() > 0) {
    parallel_syrk<double>(-1.0, correction_.view(), Transpose::yes, 1.0, r.view(), run_);
    Matrix<double> carried(n, correction_.rows());
    Matrix<double> transposed(n, correction_.rows());
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < correction_.rows(); ++c) {
        transposed(i, c) = correction_(c, i);
      }
    }
    parallel_symm<double>(1.0, kernel_, transposed.view(), 0.0, carried.view(), run_);
    for (Index i = 0; i < n; ++i) {
      result.variances[i] += dot(carried.view().row(i), carried.view().row(i));
    }
  }
  for (double& variance : result.variances) {
    variance = std::max(variance, 0.0);
  }
  mirror_lower(r.view(), run_);
  return result;
}

std::shared_ptr<const CovarianceReduction> CurvatureFactor::reduction() {
  if (correction_.rows() > 0) {
    return std::make_shared<DenseReduction>(inverse().reduction);
  }
  std::vector<TriangularReduction::Term> terms;
  terms.push_back({.factor = std::move(factor_), .scale = roots_, .sign = 1});
  return std::make_shared<TriangularReduction>(std::move(terms));
}

}  // namespace mercer
