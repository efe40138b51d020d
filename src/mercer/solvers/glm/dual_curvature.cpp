#include "mercer/solvers/glm/dual_curvature.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

// Rows that are sure of their class have no curvature left; this keeps S regular.
constexpr double least_dual_share = 1e-14;

}  // namespace

DualCurvature::DualCurvature(ConstMatrixView<double> kernel, double scale, const Run& run)
    : kernel_(kernel), scale_(scale), run_(run) {}

// I + V^½K̃V^½ factorised.
void DualCurvature::factor_one(std::span<const double> curvature, Matrix<double>& out) const {
  const Index n = kernel_.rows();
  if (out.rows() != n) {
    out = Matrix<double>(n, n);
  }
  std::vector<double> roots;
  for (const double v : curvature) {
    roots.push_back(std::sqrt(v));
  }
  parallel_for(run_, n, [&](Index i) {
    const double left = scale_ * roots[i];
    for (Index j = 0; j <= i; ++j) {
      out(i, j) = left * kernel_(i, j) * roots[j];
    }
    out(i, i) += 1;
  });
  if (!try_cholesky<double>(out.view(), run_).ok) {
    throw NumericalError(
        "the kernel matrix has eigenvalues well below 0, so that the penalty is not convex: use a positive definite "
        "kernel, or a model that takes any kernel (l2vmc, l1vmc, svc)");
  }
}

void DualCurvature::factor(const GlmTargets& targets, ConstMatrixView<double> means) {
  const Index n = means.rows();
  const Index outputs = means.columns();
  diagonal_ = Matrix<double>(n, outputs);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < outputs; ++c) {
      const double share =
          targets.family == GlmFamily::multinomial ? means(i, c) : glm_curvature(targets.family, means.row(i));
      diagonal_(i, c) = targets.weight(i) * std::max(share, outputs > 1 ? least_dual_share : 0.0);
    }
  }
  inverse_.resize(outputs);
  log_determinant_ = 0;
  std::vector<double> column(n);
  for (Index c = 0; c < outputs; ++c) {
    for (Index i = 0; i < n; ++i) {
      column[i] = diagonal_(i, c);
    }
    Matrix<double>& e = inverse_[c];
    factor_one(column, e);
    log_determinant_ += mercer::log_determinant(std::as_const(e).view());
    if (outputs == 1) {
      return;
    }
    cholesky_inverse<double>(e.view(), run_);
    parallel_for(run_, n, [&](Index i) {
      for (Index j = 0; j <= i; ++j) {
        e(i, j) *= std::sqrt(diagonal_(i, c)) * std::sqrt(diagonal_(j, c));
      }
    });
    mirror_lower<double>(e.view(), run_);
  }
  sum_ = Matrix<double>::copy_of(std::as_const(inverse_.front()).view());
  parallel_for(run_, n, [&](Index i) {
    for (std::size_t c = 1; c < inverse_.size(); ++c) {
      axpy(1.0, std::as_const(inverse_[c]).view().row(i), sum_.view().row(i));
    }
  });
  cholesky<double>(sum_.view(), run_);
  log_determinant_ += mercer::log_determinant(std::as_const(sum_).view());
  for (Index i = 0; i < n; ++i) {
    log_determinant_ -= std::log(targets.weight(i));
  }
}

void DualCurvature::apply(MatrixView<double> v) const {
  const Index n = v.rows();
  if (v.columns() == 1) {
    std::vector<double> x;
    for (Index i = 0; i < n; ++i) {
      x.push_back(std::sqrt(diagonal_(i, 0)) * v(i, 0));
    }
    cholesky_solve<double>(inverse_.front().view(), std::span<double>(x), run_);
    for (Index i = 0; i < n; ++i) {
      v(i, 0) = std::sqrt(diagonal_(i, 0)) * x[i];
    }
    return;
  }
  // E_c v_c of all classes, their sum through S, and E_c of that taken off.
  Matrix<double> sum = Matrix<double>::filled(n, 1, 0.0);
  Matrix<double> column(n, 1);
  Matrix<double> product(n, 1);
  std::vector<Matrix<double>> products;
  for (Index c = 0; c < v.columns(); ++c) {
    for (Index i = 0; i < n; ++i) {
      column(i, 0) = v(i, c);
    }
    parallel_gemm<double>(1.0, inverse_[c].view(), Transpose::no, column.view(), Transpose::no, 0.0, product.view(),
                          run_);
    for (Index i = 0; i < n; ++i) {
      v(i, c) = product(i, 0);
      sum(i, 0) += product(i, 0);
    }
  }
  cholesky_solve<double>(sum_.view(), sum.view(), run_);
  for (Index c = 0; c < v.columns(); ++c) {
    parallel_gemm<double>(1.0, inverse_[c].view(), Transpose::no, sum.view(), Transpose::no, 0.0, product.view(), run_);
    for (Index i = 0; i < n; ++i) {
      v(i, c) -= product(i, 0);
    }
  }
}

Matrix<double> DualCurvature::multiply(ConstMatrixView<double> v) const {
  Matrix<double> out(v.rows(), v.columns());
  parallel_symm<double>(scale_, kernel_, v, 0.0, out.view(), run_);
  return out;
}

// Of sums of n terms k_ij v_j, no larger than √(k_ii k_jj) v_j and each with an error of its own.
double DualCurvature::rounding(ConstMatrixView<double> v) const {
  double largest = 0;
  for (Index c = 0; c < v.columns(); ++c) {
    double squares = 0;
    double factor = 0;
    for (Index i = 0; i < v.rows(); ++i) {
      const double own = scale_ * std::max(0.0, kernel_(i, i));
      squares += own * v(i, c) * v(i, c);
      factor = std::max(factor, diagonal_(i, c) * std::sqrt(own));
    }
    largest = std::max(largest, factor * std::sqrt(squares));
  }
  return std::numeric_limits<double>::epsilon() * largest;
}

}  // namespace mercer
