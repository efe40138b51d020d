#include "mercer/models/gp/softmax/softmax_laplace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"
#include "mercer/models/gp/softmax/softmax_terms.h"

namespace mercer {

namespace {

constexpr int most_halvings = 60;
constexpr double rounding = 1e-12;
constexpr Index variance_rows = 128;

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double worst = 0;
  for (Index i = 0; i < a.rows() * a.columns(); ++i) {
    worst = std::max(worst, std::abs(a.data()[i] - b.data()[i]));
  }
  return worst;
}

}  // namespace

class SoftmaxSearch {
 public:
  SoftmaxSearch(ConstMatrixView<double> kernel, const SoftmaxTargets& targets, const Run& run)
      : kernel_(kernel),
        targets_(targets),
        run_(run),
        alpha_(Matrix<double>::filled(kernel.rows(), targets.count, 0.0)),
        latent_(Matrix<double>::filled(kernel.rows(), targets.count, 0.0)) {}

  SoftmaxLaplace find(ConstMatrixView<double> start, const SoftmaxLaplaceOptions& options) {
    terms_ = softmax_terms(targets_, latent_.view());
    objective_ = terms_.value;
    if (start.rows() == alpha_.rows() && start.columns() == alpha_.columns()) {
      try_at(Matrix<double>::copy_of(start));
    }
    SoftmaxLaplace result;
    result.status = SolveStatus::iteration_limit;
    for (;; ++result.iterations) {
      run_.check_stop();
      result.residual = largest_difference(alpha_, terms_.slope);
      if (result.residual <= options.tolerance) {
        result.status = SolveStatus::converged;
        break;
      }
      if (result.iterations == options.max_iterations) {
        break;
      }
      reduction_.factor(kernel_, targets_, latent_.view(), run_);
      if (!step(result.residual)) {
        result.status = result.residual < std::sqrt(options.tolerance) ? SolveStatus::converged : SolveStatus::stalled;
        break;
      }
    }
    reduction_.factor(kernel_, targets_, latent_.view(), run_);
    result.log_evidence = objective_ - 0.5 * reduction_.log_determinant_;
    if (options.goal == ApproximationGoal::gradient) {
      result.kernel_weights = weights();
    } else if (options.goal == ApproximationGoal::posterior) {
      result.reduction = std::shared_ptr<const SoftmaxReduction>(new SoftmaxReduction(std::move(reduction_)));
    }
    result.alpha = std::move(alpha_);
    result.latent = std::move(latent_);
    return result;
  }

 private:
  Index n() const { return kernel_.rows(); }

  Matrix<double> times_kernel(const Matrix<double>& v) const {
    Matrix<double> product(v.rows(), v.columns());
    parallel_symm<double>(1.0, kernel_, v.view(), 0.0, product.view(), run_);
    return product;
  }

  // v − R K v for a block with one column per class.
  Matrix<double> project(const Matrix<double>& v) const {
    const Matrix<double> carried = times_kernel(v);
    Matrix<double> each(n(), targets_.count);
    std::vector<double> total(n(), 0.0);
    for (Index c = 0; c < targets_.count; ++c) {
      const std::vector<double> part = class_product(c, column(carried, c));
      for (Index i = 0; i < n(); ++i) {
        each(i, c) = part[i];
        total[i] += part[i];
      }
    }
    cholesky_solve<double>(reduction_.sum_factor_.view(), std::span<double>(total), run_);
    for (Index c = 0; c < targets_.count; ++c) {
      const std::vector<double> shared = class_product(c, total);
      for (Index i = 0; i < n(); ++i) {
        each(i, c) = v(i, c) - each(i, c) + shared[i];
      }
    }
    return each;
  }

  static std::vector<double> column(const Matrix<double>& a, Index c) {
    std::vector<double> values(a.rows());
    for (Index i = 0; i < a.rows(); ++i) {
      values[i] = a(i, c);
    }
    return values;
  }

  std::vector<double> class_product(Index c, std::span<const double> v) const {
    std::vector<double> product(v.size());
    symv(1.0, reduction_.reductions_[c].view(), v, 0.0, product);
    return product;
  }

  // Moves there if ψ is larger, or level with a smaller gradient.
  bool try_at(Matrix<double> alpha, double residual = 0) {
    Matrix<double> latent = times_kernel(alpha);
    SoftmaxTerms terms = softmax_terms(targets_, latent.view());
    const auto size = static_cast<std::size_t>(alpha.rows() * alpha.columns());
    const double objective = terms.value - 0.5 * dot({alpha.data(), size}, {latent.data(), size});
    const double margin = rounding * (1 + std::abs(objective_));
    const bool level = objective > objective_ - margin;
    if (!(objective > objective_ + margin || (level && largest_difference(alpha, terms.slope) < 0.9 * residual))) {
      return false;
    }
    alpha_ = std::move(alpha);
    latent_ = std::move(latent);
    terms_ = std::move(terms);
    objective_ = objective;
    return true;
  }

  bool step(double residual) {
    const Matrix<double> target = project(softmax_curved(targets_, terms_, latent_.view()));
    double length = 1;
    for (int halving = 0; halving < most_halvings; ++halving, length /= 2) {
      Matrix<double> alpha(alpha_.rows(), alpha_.columns());
      for (Index i = 0; i < alpha.rows() * alpha.columns(); ++i) {
        alpha.data()[i] = alpha_.data()[i] + length * (target.data()[i] - alpha_.data()[i]);
      }
      if (try_at(std::move(alpha), residual)) {
        return true;
      }
    }
    return false;
  }

  // The posterior covariance of the classes at every training sample: n × classes².
  Matrix<double> training_covariances() const {
    const Index count = targets_.count;
    Matrix<double> result(n(), count * count);
    parallel_for(run_, block_count(n(), variance_rows), [&](Index block) {
      const IndexRange rows = block_range(n(), variance_rows, block);
      Matrix<double> k(rows.size(), n());
      for (Index i = rows.begin; i < rows.end; ++i) {
        for (Index j = 0; j < n(); ++j) {
          k(i - rows.begin, j) = i >= j ? kernel_(i, j) : kernel_(j, i);
        }
      }
      std::vector<Matrix<double>> carried;
      for (Index c = 0; c < count; ++c) {
        Matrix<double> part(rows.size(), n());
        gemm(1.0, k.view(), Transpose::no, reduction_.reductions_[c].view(), Transpose::no, 0.0, part.view());
        trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, reduction_.sum_factor_.view(), part.view());
        carried.push_back(std::move(part));
      }
      for (Index i = rows.begin; i < rows.end; ++i) {
        for (Index a = 0; a < count; ++a) {
          for (Index b = 0; b < count; ++b) {
            result(i, a * count + b) =
                dot(carried[a].view().row(i - rows.begin), carried[b].view().row(i - rows.begin)) +
                (a == b ? reduction_.variances_[a][i] : 0.0);
          }
        }
      }
    });
    return result;
  }

  // Σ_c ½ α_cα_cᵀ − ½ R_cc + ½ (u_cα_cᵀ + α_cu_cᵀ), u = (I + WK)⁻¹s: as for one latent function, per class.
  Matrix<double> weights() const {
    const Matrix<double> u = project(softmax_mode_slopes(targets_, terms_, training_covariances().view()));
    Matrix<double> q = Matrix<double>::filled(n(), n(), 0.0);
    for (const Matrix<double>& reduction : reduction_.reductions_) {
      Matrix<double> half = Matrix<double>::copy_of(reduction.view());
      solve_lower<double>(reduction_.sum_factor_.view(), Transpose::no, half.view(), run_);
      parallel_syrk<double>(0.5, half.view(), Transpose::yes, 1.0, q.view(), run_);
    }
    parallel_for(run_, n(), [&](Index i) {
      for (Index j = 0; j <= i; ++j) {
        for (Index c = 0; c < targets_.count; ++c) {
          q(i, j) += 0.5 * (alpha_(i, c) * alpha_(j, c) - reduction_.reductions_[c](i, j) + u(i, c) * alpha_(j, c) +
                            alpha_(i, c) * u(j, c));
        }
      }
    });
    mirror_lower(q.view(), run_);
    return q;
  }

  ConstMatrixView<double> kernel_;
  SoftmaxTargets targets_;
  Run run_;
  SoftmaxReduction reduction_;
  Matrix<double> alpha_;
  Matrix<double> latent_;
  SoftmaxTerms terms_;
  double objective_ = 0;
};

SoftmaxLaplace softmax_laplace(ConstMatrixView<double> kernel, const SoftmaxTargets& targets,
                               ConstMatrixView<double> start, const SoftmaxLaplaceOptions& options, const Run& run) {
  require_softmax_targets(kernel, targets);
  return SoftmaxSearch(kernel, targets, run).find(start, options);
}

}  // namespace mercer
