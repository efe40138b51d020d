#include "mercer/models/gp/inducing/inducing_system.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

constexpr Index block_rows = 2048;  // of V' at a time
constexpr Index strip = 128;
constexpr double largest_jitter = 1e-4;

// The mean of the diagonal of K_uu, which jitter is relative to.
double mean_diagonal(ConstMatrixView<double> a) {
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    sum += a(i, i);
  }
  return sum / static_cast<double>(a.rows());
}

CrossGram<double> make_cross(const InducingProblem& problem, const Run& run) {
  problem.validate();
  const auto kernel =
      std::make_shared<const PreparedKernel>(problem.kernel, problem.inducing, Precision::double_precision, run);
  return {kernel, problem.samples, run};
}

}  // namespace

std::string_view to_string(InducingMethod method) {
  switch (method) {
    case InducingMethod::subset_of_regressors:
      return "subset_of_regressors";
    case InducingMethod::fitc:
      return "fitc";
    case InducingMethod::variational:
      return "variational";
  }
  return "unknown";
}

void InducingProblem::validate() const {
  if (inducing.size() < 1) {
    throw InvalidArgument("a Gaussian process with inducing points needs at least one of them");
  }
  if (targets.rows() != samples.size()) {
    throw InvalidArgument("targets of " + std::to_string(targets.rows()) + " rows for " +
                          std::to_string(samples.size()) + " samples");
  }
  const auto count = static_cast<Index>(noise.size());
  if (count != 1 && (count == 0 || count != samples.size())) {
    throw InvalidArgument(std::to_string(count) + " noise variances for " + std::to_string(samples.size()) +
                          " samples: give one for all, or one each");
  }
  for (const double variance : noise) {
    if (!(variance > 0) || !std::isfinite(variance)) {
      reject_argument("noise", variance, "a positive variance (inducing points divide by it)");
    }
  }
  if (!weights.empty() && static_cast<Index>(weights.size()) != samples.size()) {
    throw InvalidArgument(std::to_string(weights.size()) + " weights for " + std::to_string(samples.size()) +
                          " samples");
  }
  for (const double weight : weights) {
    if (!(weight > 0) || !std::isfinite(weight)) {
      reject_argument("weight", weight, "a positive number");
    }
  }
  if (!(jitter >= 0 && jitter <= largest_jitter)) {
    reject_argument("jitter", jitter, "between 0 and " + shortest(largest_jitter));
  }
}

InducingSystem::InducingSystem(const InducingProblem& problem, Keep keep, const Run& run)
    : cross_(make_cross(problem, run)), y_(problem.targets) {
  const auto n = static_cast<std::size_t>(size());
  noise_ = problem.noise;
  noise_.resize(n, problem.noise.front());
  weights_ = problem.weights;
  weights_.resize(n, 1.0);
  lambda_ = noise_;
  residual_.assign(n, 0.0);
  factor_kernel(problem, run);
  accumulate(problem.method, keep, run);
  solve(problem.method, run);
}

void InducingSystem::factor_kernel(const InducingProblem& problem, const Run& run) {
  luu_ = Matrix<double>(inducing(), inducing());
  relative_jitter_ = problem.jitter;
  while (true) {
    evaluate_gram<double>(cross_.kernel(), Triangle::lower, luu_.view(), run.quiet());
    jitter_ = relative_jitter_ * mean_diagonal(luu_.view());
    for (Index i = 0; i < inducing(); ++i) {
      luu_(i, i) += jitter_;
    }
    if (try_cholesky<double>(luu_.view(), run).ok) {
      return;
    }
    if (relative_jitter_ >= largest_jitter) {
      throw NumericalError("the kernel matrix of " + std::to_string(inducing()) +
                           " inducing points is not positive definite, even with " + shortest(largest_jitter) +
                           " of its mean diagonal added; take a positive definite kernel, or fewer points");
    }
    relative_jitter_ = std::min(largest_jitter, std::max(10 * relative_jitter_, 1e-12));
  }
}

// B - 1 = V Λ^-1 V' and V Λ^-1 Y, over blocks of rows of V' = K_fu L^-T.
void InducingSystem::accumulate(InducingMethod method, Keep keep, const Run& run) {
  const Index n = size();
  const Index m = inducing();
  lb_ = Matrix<double>::filled(m, m, 0.0);
  b_ = Matrix<double>::filled(m, outputs(), 0.0);
  if (keep == Keep::v) {
    v_ = Matrix<double>(n, m);
  }
  Matrix<double> scratch(keep == Keep::v ? 0 : std::min(n, block_rows), keep == Keep::v ? 0 : m);
  Matrix<double> scaled(std::min(n, block_rows), m);
  std::vector<double> diagonal(n);
  cross_.diagonal(diagonal);
  std::vector<Workspace> workspaces(run.threads());
  for (Index block = 0; block < block_count(n, block_rows); ++block) {
    const IndexRange rows = block_range(n, block_rows, block);
    const MatrixView<double> v =
        (keep == Keep::v ? v_.view().row_block(rows) : scratch.view().row_block({0, rows.size()}));
    const MatrixView<double> over = scaled.view().row_block({0, rows.size()});
    parallel_for_workers(run, block_count(rows.size(), strip), [&](Index s, int worker) {
      const IndexRange part = block_range(rows.size(), strip, s);
      const MatrixView<double> piece = v.row_block(part);
      fill_block(cross_.kernel().kernel(), cross_.samples(), {rows.begin + part.begin, rows.begin + part.end},
                 cross_.kernel().reference(), {0, m}, piece, workspaces[worker]);
      trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, luu_.view(), piece);
      for (Index i = part.begin; i < part.end; ++i) {
        const auto row = static_cast<std::size_t>(rows.begin + i);
        residual_[row] = std::max(0.0, diagonal[row] - dot(v.row(i), v.row(i)));
        if (method == InducingMethod::fitc) {
          lambda_[row] += residual_[row];
        }
        lambda_[row] /= weights_[row];
        const double root = 1 / std::sqrt(lambda_[row]);
        std::transform(v.row_data(i), v.row_data(i) + m, over.row_data(i), [&](double value) { return value * root; });
      }
    });
    parallel_syrk<double>(1.0, over, Transpose::yes, 1.0, lb_.view(), run);
    Matrix<double> y = Matrix<double>::copy_of(y_.row_block(rows));
    for (Index i = 0; i < rows.size(); ++i) {
      scale(1 / std::sqrt(lambda_[rows.begin + i]), y.view().row(i));
    }
    parallel_gemm<double>(1.0, over, Transpose::yes, y.view(), Transpose::no, 1.0, b_.view(), run);
    run.progress("inducing points", static_cast<double>(rows.end), static_cast<double>(n));
  }
}

void InducingSystem::solve(InducingMethod method, const Run& run) {
  for (Index i = 0; i < inducing(); ++i) {
    lb_(i, i) += 1;
  }
  cholesky<double>(lb_.view(), run);
  solve_lower<double>(lb_.view(), Transpose::no, b_.view(), run);
  // Here b_ is c = L_B^-1 V Λ^-1 Y.
  double explained = 0;
  for (Index j = 0; j < inducing(); ++j) {
    explained += dot(b_.view().row(j), b_.view().row(j));
  }
  double squares = 0;
  double log_lambda = 0;  // of 2πΛ, every copy by itself
  double trace = 0;
  for (Index i = 0; i < size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double weight = weights_[row];
    squares += dot(y_.row(i), y_.row(i)) / lambda_[row];
    log_lambda += weight * std::log(2 * std::numbers::pi * weight * lambda_[row]);
    trace += method == InducingMethod::variational ? weight * residual_[row] / noise_[row] : 0.0;
  }
  const double per_output = log_lambda + log_determinant(lb_.view()) + trace;
  log_evidence_ = -0.5 * (static_cast<double>(outputs()) * per_output + squares - explained);
  solve_lower<double>(lb_.view(), Transpose::yes, b_.view(), run);
}

Matrix<double> InducingSystem::unwhitened(ConstMatrixView<double> x, const Run& run) const {
  Matrix<double> out = Matrix<double>::copy_of(x);
  solve_lower<double>(luu_.view(), Transpose::yes, out.view(), run);
  return out;
}

}  // namespace mercer
