// What softmax_laplace.h predicts with: covariances of the latent functions, and averaged probabilities.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/models/gp/curvature_factor.h"
#include "mercer/models/gp/softmax_laplace.h"
#include "mercer/models/gp/softmax_terms.h"
#include "mercer/models/likelihoods/special_functions.h"

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
  reductions_.resize(static_cast<std::size_t>(targets.count));
  variances_.resize(static_cast<std::size_t>(targets.count));
  sum_factor_ = Matrix<double>::filled(n, n, 0.0);
  log_determinant_ = 0;
  std::vector<double> curvature(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    log_determinant_ -= std::log(softmax_weight(targets, i));
  }
  CurvatureFactor factor(kernel, run);
  for (Index c = 0; c < targets.count; ++c) {
    for (Index i = 0; i < n; ++i) {
      curvature[static_cast<std::size_t>(i)] = softmax_weight(targets, i) * terms.probabilities(i, c);
    }
    factor.factor(curvature);
    log_determinant_ += factor.log_determinant();
    CurvatureFactor::Inverse inverse = factor.inverse();
    parallel_for(run, n, [&](Index i) {
      for (Index j = 0; j <= i; ++j) {
        sum_factor_(i, j) += inverse.reduction(i, j);
      }
    });
    std::swap(reductions_[static_cast<std::size_t>(c)], inverse.reduction);
    variances_[static_cast<std::size_t>(c)] = std::move(inverse.variances);
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
          out(i, a * count + b) =
              dot(std::span<const double>(carried[static_cast<std::size_t>(a)].view().row(at)),
                  std::span<const double>(carried[static_cast<std::size_t>(b)].view().row(at))) +
              (a == b ? std::max(0.0, prior[static_cast<std::size_t>(i)] -
                                          taken[static_cast<std::size_t>(a)][static_cast<std::size_t>(at)])
                      : 0.0);
        }
      }
    }
  });
}

SoftmaxAverage::SoftmaxAverage(Index classes, Index points) : points_((points + 1) / 2, classes) {
  // The root of x^(d+1) = x + 1 spreads d coordinates most evenly (d = 1: the golden ratio).
  double root = 2;
  for (int k = 0; k < 60; ++k) {
    root = std::pow(1 + root, 1.0 / static_cast<double>(classes + 1));
  }
  for (Index i = 0; i < points_.rows(); ++i) {
    for (Index c = 0; c < classes; ++c) {
      const double place = 0.5 + static_cast<double>(i + 1) * std::pow(root, -static_cast<double>(c + 1));
      points_(i, c) = normal_quantile(std::clamp(place - std::floor(place), 1e-12, 1 - 1e-12));
    }
  }
}

void SoftmaxAverage::probabilities(std::span<const double> mean, ConstMatrixView<double> covariance,
                                   std::span<double> out) const {
  const Index count = points_.columns();
  // A Cholesky factor that takes singular covariances.
  Matrix<double> root = Matrix<double>::filled(count, count, 0.0);
  for (Index j = 0; j < count; ++j) {
    for (Index i = j; i < count; ++i) {
      double rest = covariance(i, j);
      for (Index k = 0; k < j; ++k) {
        rest -= root(i, k) * root(j, k);
      }
      if (i == j) {
        root(j, j) = rest > 1e-14 * covariance(j, j) ? std::sqrt(rest) : 0.0;
      } else {
        root(i, j) = root(j, j) > 0 ? rest / root(j, j) : 0.0;
      }
    }
  }
  std::fill(out.begin(), out.end(), 0.0);
  std::vector<double> shift(static_cast<std::size_t>(count));
  std::vector<double> value(static_cast<std::size_t>(count));
  for (Index p = 0; p < points_.rows(); ++p) {
    for (Index i = 0; i < count; ++i) {
      double sum = 0;
      for (Index k = 0; k <= i; ++k) {
        sum += root(i, k) * points_(p, k);
      }
      shift[static_cast<std::size_t>(i)] = sum;
    }
    for (const double sign : {1.0, -1.0}) {
      double high = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < value.size(); ++i) {
        value[i] = mean[i] + sign * shift[i];
        high = std::max(high, value[i]);
      }
      double sum = 0;
      for (double& entry : value) {
        entry = std::exp(entry - high);
        sum += entry;
      }
      for (std::size_t i = 0; i < value.size(); ++i) {
        out[i] += value[i] / sum;
      }
    }
  }
  double total = 0;
  for (const double share : out) {
    total += share;
  }
  for (double& share : out) {
    share /= total;
  }
}

}  // namespace mercer
