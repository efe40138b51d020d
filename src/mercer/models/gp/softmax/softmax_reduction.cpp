// What softmax_laplace.h predicts with: covariances of the latent functions.
#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/models/gp/inference/curvature_factor.h"
#include "mercer/models/gp/softmax/softmax_laplace.h"
#include "mercer/models/gp/softmax/softmax_terms.h"

namespace mercer {

namespace {

constexpr Index batch_rows = 128;

}  // namespace

SoftmaxReduction::SoftmaxReduction(ConstMatrixView<double> kernel, const SoftmaxTargets& targets,
                                   ConstMatrixView<double> latent, const Run& run) {
  require_softmax_targets(kernel, targets);
  factor(kernel, targets, latent, run);
}

void SoftmaxReduction::factor(ConstMatrixView<double> kernel, const SoftmaxTargets& targets,
                              ConstMatrixView<double> latent, const Run& run) {
  const Index n = kernel.rows();
  const SoftmaxTerms terms = softmax_terms(targets, latent);
  reductions_.resize(targets.count);
  variances_.resize(targets.count);
  sum_factor_ = Matrix<double>::filled(n, n, 0.0);
  log_determinant_ = 0;
  std::vector<double> curvature(n);
  for (Index i = 0; i < n; ++i) {
    log_determinant_ -= std::log(softmax_weight(targets, i));
  }
  CurvatureFactor factor(kernel, run);
  for (Index c = 0; c < targets.count; ++c) {
    for (Index i = 0; i < n; ++i) {
      curvature[i] = softmax_weight(targets, i) * terms.probabilities(i, c);
    }
    factor.factor(curvature);
    log_determinant_ += factor.log_determinant();
    CurvatureFactor::Inverse inverse = factor.inverse();
    parallel_for(run, n, [&](Index i) {
      for (Index j = 0; j <= i; ++j) {
        sum_factor_(i, j) += inverse.reduction(i, j);
      }
    });
    std::swap(reductions_[c], inverse.reduction);
    variances_[c] = std::move(inverse.variances);
    factor.recycle(std::move(inverse.reduction));
  }
  if (const CholeskyStatus status = try_cholesky(sum_factor_.view(), run); !status.ok) {
    throw NumericalError("the kernel matrix is not numerically positive definite at row " +
                         std::to_string(status.failed_at) +
                         " (counted from 0): its values are too large. A smaller variance of the kernel helps");
  }
  log_determinant_ += mercer::log_determinant(sum_factor_.view());
}

// With v_c = E_c k: δ_ab (k(x, x) − kᵀv_a) + (S^(−½)v_a)ᵀ(S^(−½)v_b).
void SoftmaxReduction::covariances(ConstMatrixView<double> k, std::span<const double> prior, MatrixView<double> out,
                                   const Run& run) const {
  const Index count = classes();
  parallel_for(run, block_count(k.rows(), batch_rows), [&](Index block) {
    const IndexRange rows = block_range(k.rows(), batch_rows, block);
    std::vector<Matrix<double>> carried;
    std::vector<std::vector<double>> taken;
    for (const Matrix<double>& reduction : reductions_) {
      Matrix<double> part(rows.size(), k.columns());
      gemm(1.0, k.row_block(rows), Transpose::no, reduction.view(), Transpose::no, 0.0, part.view());
      taken.emplace_back();
      for (Index i = 0; i < rows.size(); ++i) {
        taken.back().push_back(dot(std::span<const double>(part.view().row(i)), k.row(rows.begin + i)));
      }
      trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, sum_factor_.view(), part.view());
      carried.push_back(std::move(part));
    }
    for (Index i = rows.begin; i < rows.end; ++i) {
      const Index at = i - rows.begin;
      for (Index a = 0; a < count; ++a) {
        for (Index b = 0; b < count; ++b) {
          out(i, a * count + b) = dot(std::span<const double>(carried[a].view().row(at)),
                                      std::span<const double>(carried[b].view().row(at))) +
                                  (a == b ? std::max(0.0, prior[i] - taken[a][at]) : 0.0);
        }
      }
    }
  });
}

}  // namespace mercer
