#include "mercer/models/gp/iterative/iterative.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/pivoted_cholesky.h"

namespace mercer {

namespace {

constexpr Index tile = 256;

std::vector<double> square_norms(ConstMatrixView<double> a) {
  std::vector<double> sums(a.columns());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) {
      sums[j] += a(i, j) * a(i, j);
    }
  }
  return sums;
}

double sum_of_products(ConstMatrixView<double> a, ConstMatrixView<double> b) {
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    sum += dot(a.row(i), b.row(i));
  }
  return sum;
}

}  // namespace

void IterativeOptions::validate() const {
  if (rank < 0) {
    reject_argument("rank", static_cast<double>(rank), "1 or more, or 0 for automatic");
  }
  if (!(tolerance > 0) || !(tolerance < 1)) {
    reject_argument("tolerance", tolerance, "between 0 and 1");
  }
  if (max_iterations < 1) {
    reject_argument("max_iterations", static_cast<double>(max_iterations), "1 or more");
  }
}

IterativeSystem::IterativeSystem(std::shared_ptr<const Gram<double>> gram, std::vector<double> noise,
                                 const IterativeOptions& options, const Run& run)
    : gram_(std::move(gram)), noise_(std::move(noise)), options_(options) {
  options_.validate();
  if (noise_.size() == 1) {
    noise_.resize(size(), noise_.front());
  }
  if (static_cast<Index>(noise_.size()) != size()) {
    throw InvalidArgument(std::to_string(noise_.size()) + " noise variances for " + std::to_string(size()) +
                          " samples: give one for all, or one each");
  }
  for (const double variance : noise_) {
    if (!(variance > 0) || !std::isfinite(variance)) {
      reject_argument("noise", variance, "a positive variance: without noise the iteration would not end");
    }
    scaling_.push_back(1 / std::sqrt(variance));
  }
  if (options_.preconditioner == SystemPreconditioner::low_rank && size() > 0) {
    build_low_rank(run);
  } else if (options_.preconditioner == SystemPreconditioner::float_factor) {
    build_float_factor(run);
    if (single_.rows() > 0) {
      check_float_factor(run);
    }
  }
}

Index automatic_rank(Index n) {
  return std::clamp<Index>(static_cast<Index>(12 * std::sqrt(static_cast<double>(n))), 200, 2000);
}

Index IterativeSystem::rank() const { return low_rank_.columns(); }

void IterativeSystem::build_low_rank(const Run& run) {
  std::vector<double> diagonal(size());
  gram_->diagonal(diagonal);
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    diagonal[i] *= scaling_[i] * scaling_[i];
  }
  const auto weight = [this](Index i, Index j) { return scaling_[i] * scaling_[j]; };
  const auto columns = [&](std::span<const Index> pivots, MatrixView<double> out) {
    Matrix<double> rows(static_cast<Index>(pivots.size()), size());
    gram_->rows(pivots, rows.view(), run.quiet());
    parallel_for(run, block_count(size(), tile), [&](Index b) {
      const IndexRange range = block_range(size(), tile, b);
      for (Index p = 0; p < rows.rows(); ++p) {
        for (Index i = range.begin; i < range.end; ++i) {
          out(i, p) = weight(i, pivots[p]) * rows(p, i);
        }
      }
    });
  };
  const auto square = [&](std::span<const Index> pivots, MatrixView<double> out) {
    gram_->gather(pivots, pivots, out, run.quiet());
    for (Index p = 0; p < out.rows(); ++p) {
      for (Index q = 0; q < out.columns(); ++q) {
        out(p, q) *= weight(pivots[p], pivots[q]);
      }
    }
  };
  PivotedCholeskyOptions pivoting;
  pivoting.max_rank = std::min(size(), options_.rank > 0 ? options_.rank : automatic_rank(size()));
  PivotedCholesky<double> result =
      pivoted_cholesky<double>(diagonal, {.columns = columns, .square = square}, pivoting, run);
  low_rank_ = std::move(result.factor);
  mean_residual_ = result.trace_errors.back() / static_cast<double>(size());
  solver_.emplace(low_rank_.view(), 1.0, run);
}

double IterativeSystem::least_noise() const {
  return noise_.empty() ? 0.0 : *std::min_element(noise_.begin(), noise_.end());
}

void IterativeSystem::weigh(MatrixView<double> z) const {
  for (Index i = 0; i < z.rows(); ++i) {
    scale(scaling_[i], z.row(i));
  }
}

// z = D^-½ P̃^-1 D^-½ r.
void IterativeSystem::precondition(ConstMatrixView<double> r, MatrixView<double> z, const Run& run) const {
  for (Index i = 0; i < r.rows(); ++i) {
    std::copy_n(r.row_data(i), r.columns(), z.row_data(i));
  }
  weigh(z);
  if (single_.rows() > 0) {
    solve_single(z, run);
  } else if (solver_) {
    solver_->solve(z, z, run);
  }
  weigh(z);
}

void IterativeSystem::multiply(ConstMatrixView<double> x, MatrixView<double> y, const Run& run) const {
  gram_->multiply(x, y, run);
  for (Index i = 0; i < x.rows(); ++i) {
    axpy(noise_[i], x.row(i), y.row(i));
  }
}

IterativeSolution IterativeSystem::solve(ConstMatrixView<double> y, MatrixView<double> x, const Run& run) const {
  return solve(y, x, options_.tolerance, options_.max_iterations, run);
}

IterativeSolution IterativeSystem::solve(ConstMatrixView<double> y, MatrixView<double> x, double tolerance,
                                         Index max_iterations, const Run& run) const {
  if (y.rows() != size() || x.rows() != size() || x.columns() != y.columns()) {
    throw InvalidArgument("right-hand sides of " + std::to_string(y.rows()) + " by " + std::to_string(y.columns()) +
                          " and solutions of " + std::to_string(x.rows()) + " by " + std::to_string(x.columns()) +
                          " for a system of " + std::to_string(size()) + " rows");
  }
  ConjugateGradientOptions iteration;
  iteration.tolerance = tolerance;
  iteration.max_iterations = static_cast<int>(std::min<Index>(max_iterations, std::numeric_limits<int>::max()));
  const std::vector<double> norms = square_norms(y);
  const double norm = norms.empty() ? 0.0 : std::sqrt(*std::max_element(norms.begin(), norms.end()));
  const Run inner = run.quiet();
  double first = 0;
  std::vector<double> history;
  const auto report = [&](ConstMatrixView<double> r) {
    const std::vector<double> squares = square_norms(r);
    const double residual = std::sqrt(*std::max_element(squares.begin(), squares.end())) / (norm > 0 ? norm : 1.0);
    first = first > 0 ? first : residual;
    history.push_back(residual);
    // A residual falls by factors, so its logarithm is how far the work has come.
    const double total = std::log(first / tolerance);
    if (total > 0 && residual > 0) {
      run.progress("conjugate gradients", std::clamp(std::log(first / residual), 0.0, total), total);
    }
  };
  const ConjugateGradientResult result = conjugate_gradient<double>(
      [&](ConstMatrixView<double> from, MatrixView<double> to) { multiply(from, to, inner); }, y, x, iteration, run,
      [&](ConstMatrixView<double> r, MatrixView<double> z) {
        report(r);
        precondition(r, z, inner);
      });
  IterativeSolution solution{
      .status = result.status, .iterations = result.iterations, .residual = 0, .history = std::move(history)};
  for (const double residual : result.relative_residuals) {
    solution.residual = std::max(solution.residual, residual);
  }
  return solution;
}

Matrix<double> IterativeSystem::residual(ConstMatrixView<double> y, ConstMatrixView<double> x, const Run& run) const {
  Matrix<double> r(y.rows(), y.columns());
  multiply(x, r.view(), run);
  for (Index i = 0; i < y.rows(); ++i) {
    scale(-1.0, r.view().row(i));
    axpy(1.0, y.row(i), r.view().row(i));
  }
  return r;
}

EvidenceInterval IterativeSystem::log_evidence(ConstMatrixView<double> y, ConstMatrixView<double> x,
                                               const Run& run) const {
  if (options_.preconditioner == SystemPreconditioner::none) {
    throw InvalidArgument(
        "the log evidence of an iterative solution comes from its preconditioner: choose low_rank or "
        "float_factor");
  }
  const Matrix<double> r = residual(y, x, run);
  const double below = sum_of_products(y, x) + sum_of_products(r.view(), x);
  Matrix<double> z = Matrix<double>::copy_of(r.view());
  weigh(z.view());
  if (solver_) {
    solver_->solve(z.view(), z.view(), run);  // below A, as the bound needs it
  } else {
    solve_single(z.view(), run);
  }
  weigh(z.view());
  const double above = below + std::max(0.0, sum_of_products(r.view(), z.view()));
  double constant = static_cast<double>(size()) * std::log(2 * std::numbers::pi);
  for (const double variance : noise_) {
    constant += std::log(variance);
  }
  const auto outputs = static_cast<double>(y.columns());
  const double determinant = solver_ ? solver_->log_determinant() : log_determinant(float_factor());
  const double unexplained = static_cast<double>(size()) * std::log1p(mean_residual_);
  EvidenceInterval evidence{.lower = -0.5 * (above + outputs * (constant + determinant + unexplained)),
                            .upper = -0.5 * (below + outputs * (constant + determinant))};
  evidence.value = evidence.lower;
  if (solver_ && single_.rows() > 0) {
    const TraceEstimate estimate = float_determinant(run);
    evidence.standard_error = 0.5 * outputs * estimate.standard_error;
    evidence.value = std::clamp(-0.5 * (above + outputs * (constant + estimate.value)), evidence.lower, evidence.upper);
  }
  return evidence;
}

}  // namespace mercer
