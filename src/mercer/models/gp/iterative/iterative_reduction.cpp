#include "mercer/models/gp/iterative/iterative_reduction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

constexpr Index columns_at_once = 64;     // right-hand sides of one iteration
constexpr double variance_share = 1e-4;   // of the noise, that a variance may be too large by
constexpr double least_residual = 1e-12;  // relative; rounding allows no less

Matrix<double> transposed(ConstMatrixView<double> a) {
  Matrix<double> out(a.columns(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) {
      out(j, i) = a(i, j);
    }
  }
  return out;
}

// On the residual of the rows of k relative to their length, so that |r|²/noise <= variance_share noise.
double tolerance_for(const IterativeSystem& system, ConstMatrixView<double> k, double tolerance) {
  double longest = 0;
  for (Index i = 0; i < k.rows(); ++i) {
    longest = std::max(longest, dot(k.row(i), k.row(i)));
  }
  const double enough = std::sqrt(variance_share) * system.least_noise() / std::sqrt(longest);
  return longest > 0 ? std::clamp(enough, std::min(least_residual, tolerance), tolerance) : tolerance;
}

// For the rows of k in blocks: right-hand sides B, solutions X and residuals R = B - (K + noise) X, all n × block.
template <class Use>
void solve_rows(const IterativeSystem& system, ConstMatrixView<double> k, double tolerance, Index max_iterations,
                const Run& run, const Use& use) {
  for (Index b = 0; b < block_count(k.rows(), columns_at_once); ++b) {
    const IndexRange rows = block_range(k.rows(), columns_at_once, b);
    const Matrix<double> right = transposed(k.row_block(rows));
    Matrix<double> x = Matrix<double>::filled(right.rows(), right.columns(), 0.0);
    system.solve(right.view(), x.view(), tolerance_for(system, k.row_block(rows), tolerance), max_iterations,
                 run.quiet());
    run.check_stop();
    use(rows, right.view(), x.view(), system.residual(right.view(), x.view(), run.quiet()).view());
    run.progress("variances", static_cast<double>(rows.end), static_cast<double>(k.rows()));
  }
}

// L^-1 D^-½ k' in float, centres × batch.
Matrix<float> whitened(const IterativeSystem& system, ConstMatrixView<double> k, const Run& run) {
  Matrix<float> right(k.columns(), k.rows());
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.columns(); ++j) {
      right(j, i) = static_cast<float>(k(i, j) * system.scaling()[j]);
    }
  }
  solve_lower<float>(system.float_factor(), Transpose::no, right.view(), run);
  return right;
}

}  // namespace

IterativeReduction::IterativeReduction(std::shared_ptr<const IterativeSystem> system, double tolerance,
                                       Index max_iterations)
    : system_(std::move(system)), tolerance_(tolerance), max_iterations_(max_iterations) {}

void IterativeReduction::diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const {
  solve_rows(*system_, k, tolerance_, max_iterations_, run,
             [&](IndexRange rows, ConstMatrixView<double> right, ConstMatrixView<double> x, ConstMatrixView<double> r) {
               const auto part =
                   out.subspan(static_cast<std::size_t>(rows.begin), static_cast<std::size_t>(rows.size()));
               std::fill(part.begin(), part.end(), 0.0);
               for (Index j = 0; j < right.rows(); ++j) {
                 for (Index i = 0; i < right.columns(); ++i) {
                   part[i] += (right(j, i) + r(j, i)) * x(j, i);
                 }
               }
             });
}

// B'X + X'R: the same expression for every pair.
void IterativeReduction::full(MatrixView<double> k, MatrixView<double> out, const Run& run) const {
  Matrix<double> solutions(k.columns(), k.rows());
  Matrix<double> residuals(k.columns(), k.rows());
  solve_rows(
      *system_, k, tolerance_, max_iterations_, run,
      [&](IndexRange rows, ConstMatrixView<double> /*right*/, ConstMatrixView<double> x, ConstMatrixView<double> r) {
        for (Index j = 0; j < x.rows(); ++j) {
          std::copy_n(x.row_data(j), rows.size(), solutions.view().row_data(j) + rows.begin);
          std::copy_n(r.row_data(j), rows.size(), residuals.view().row_data(j) + rows.begin);
        }
      });
  parallel_gemm<double>(1.0, k, Transpose::no, solutions.view(), Transpose::no, 0.0, out, run);
  parallel_gemm<double>(1.0, solutions.view(), Transpose::yes, residuals.view(), Transpose::no, 1.0, out, run);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      out(i, j) = out(j, i) = 0.5 * (out(i, j) + out(j, i));
    }
  }
}

FloatFactorReduction::FloatFactorReduction(std::shared_ptr<const IterativeSystem> system) : system_(std::move(system)) {
  if (!system_->has_exact_variances()) {
    throw InvalidArgument(
        "this system has no float factor that gives variances: build it with preconditioner = float_factor, or let the "
        "iteration refine them");
  }
}

void FloatFactorReduction::diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const {
  const Matrix<float> w = whitened(*system_, k, run);
  std::fill(out.begin(), out.end(), 0.0);
  for (Index j = 0; j < w.rows(); ++j) {
    for (Index i = 0; i < w.columns(); ++i) {
      out[i] += static_cast<double>(w(j, i)) * static_cast<double>(w(j, i));
    }
  }
}

void FloatFactorReduction::full(MatrixView<double> k, MatrixView<double> out, const Run& run) const {
  const Matrix<float> w = whitened(*system_, k, run);
  Matrix<float> product(k.rows(), k.rows());
  parallel_gemm<float>(1.0F, w.view(), Transpose::yes, w.view(), Transpose::no, 0.0F, product.view(), run);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.columns(); ++j) {
      out(i, j) = 0.5 * (static_cast<double>(product(i, j)) + static_cast<double>(product(j, i)));
    }
  }
}

std::shared_ptr<const CovarianceReduction> iterative_variances(std::shared_ptr<const IterativeSystem> system) {
  if (system->has_exact_variances()) {
    return std::make_shared<const FloatFactorReduction>(std::move(system));
  }
  return std::make_shared<const IterativeReduction>(std::move(system));
}

}  // namespace mercer
