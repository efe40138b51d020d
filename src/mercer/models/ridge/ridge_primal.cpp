// For k = c·xᵀx' the function is xᵀw with ‖f‖² = ‖w‖²/c: (BᵀB + λ/c I) w = Bᵀr with the rows B = √w_i (x_i − x̄) and
// r = √w_i (y_i − ȳ), x̄ and ȳ the weighted means (0 without intercept). Leverages h_i = ‖L⁻¹b_i‖² + w_i/Σw give the
// leave-one-out residuals e_i/(1 − h_i). Rows are written out densely block by block. With BᵀB = V diag(s) Vᵀ the
// vectors of the spectrum are the columns of B V diag(s)^(−1/2).
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/linalg/triangular.h"
#include "mercer/models/ridge/ridge_problem.h"
#include "mercer/models/ridge/ridge_spectrum.h"

namespace mercer {

namespace {

constexpr Index block_rows = 2048;

struct Means {
  std::vector<double> x;
  std::vector<double> y;
  double weight = 0;  // Σ w
};

class Blocks {
 public:
  Blocks(const RidgeProblem& problem, const Run& run)
      : problem_(problem),
        numeric_(default_columns(problem.samples)),
        rows_(std::min(block_rows, numeric_.size()), numeric_.columns()),
        targets_(rows_.rows(), problem.targets.columns()),
        run_(run) {
    require_finite(numeric_);
    find_means();
  }

  Index count() const { return block_count(numeric_.size(), block_rows); }
  Index columns() const { return numeric_.columns(); }
  IndexRange range(Index b) const { return block_range(numeric_.size(), block_rows, b); }
  const Means& means() const { return means_; }
  double weight(Index i) const { return problem_.weights[i]; }

  /// The rows √w (x − x̄) and √w (y − ȳ) of a block; valid until the next call.
  struct Block {
    MatrixView<double> rows;
    MatrixView<double> targets;
  };
  Block load(Index b) {
    run_.check_stop();
    const IndexRange part = range(b);
    const MatrixView<double> rows = rows_.view().row_block({0, part.size()});
    const MatrixView<double> targets = targets_.view().row_block({0, part.size()});
    copy_rows(numeric_, part, rows);
    for (Index i = 0; i < part.size(); ++i) {
      const double root = std::sqrt(weight(part.begin + i));
      for (Index j = 0; j < rows.columns(); ++j) {
        rows(i, j) = root * (rows(i, j) - means_.x[j]);
      }
      for (Index o = 0; o < targets.columns(); ++o) {
        targets(i, o) = root * (problem_.targets(part.begin + i, o) - means_.y[o]);
      }
    }
    return {rows, targets};
  }

 private:
  void find_means() {
    means_.x.assign(numeric_.columns(), 0.0);
    means_.y.assign(problem_.targets.columns(), 0.0);
    for (const double w : problem_.weights) {
      means_.weight += w;
    }
    if (problem_.part == ParametricPart::none) {
      return;
    }
    for (Index b = 0; b < count(); ++b) {
      const IndexRange part = range(b);
      const MatrixView<double> rows = rows_.view().row_block({0, part.size()});
      copy_rows(numeric_, part, rows);
      for (Index i = 0; i < part.size(); ++i) {
        const double share = weight(part.begin + i) / means_.weight;
        axpy(share, rows.row(i), std::span(means_.x));
        axpy(share, problem_.targets.view().row(part.begin + i), std::span(means_.y));
      }
    }
  }

  const RidgeProblem& problem_;
  Samples numeric_;
  Matrix<double> rows_;
  Matrix<double> targets_;
  Means means_;
  Run run_;
};

struct NormalEquations {
  Matrix<double> matrix;  // BᵀB, lower triangle
  Matrix<double> right;   // Bᵀr
};

NormalEquations normal_equations(Blocks& blocks, Index outputs, const Run& run) {
  const Index d = blocks.columns();
  NormalEquations sums{Matrix<double>::filled(d, d, 0.0), Matrix<double>::filled(d, outputs, 0.0)};
  for (Index b = 0; b < blocks.count(); ++b) {
    const Blocks::Block block = blocks.load(b);
    parallel_syrk<double>(1.0, block.rows, Transpose::yes, 1.0, sums.matrix.view(), run);
    parallel_gemm<double>(1.0, block.rows, Transpose::yes, block.targets, Transpose::no, 1.0, sums.right.view(), run);
    run.progress("normal equations", static_cast<double>(b + 1), static_cast<double>(blocks.count()));
  }
  return sums;
}

// Leave-one-out residuals of one block from its weighted residuals e√w.
void fill_leave_one_out(ConstMatrixView<double> factor, const Blocks& blocks, const ParametricPart& part,
                        IndexRange range, const Blocks::Block& block, MatrixView<double> out, const Run& run) {
  Matrix<double> solved(block.rows.columns(), block.rows.rows());
  for (Index i = 0; i < block.rows.rows(); ++i) {
    for (Index j = 0; j < block.rows.columns(); ++j) {
      solved(j, i) = block.rows(i, j);
    }
  }
  solve_lower<double>(factor, Transpose::no, solved.view(), run);
  for (Index i = 0; i < range.size(); ++i) {
    const double w = blocks.weight(range.begin + i);
    double leverage = part == ParametricPart::none ? 0.0 : w / blocks.means().weight;
    for (Index j = 0; j < solved.rows(); ++j) {
      leverage += solved(j, i) * solved(j, i);
    }
    if (!(1 - leverage > 64 * std::numeric_limits<double>::epsilon())) {
      throw NumericalError("the leave-one-out residual of row " + std::to_string(range.begin + i) +
                           " (counted from 0) is not determined: without that row the fit is not unique");
    }
    for (Index o = 0; o < out.columns(); ++o) {
      out(range.begin + i, o) = block.targets(i, o) / std::sqrt(w) / (1 - leverage);
    }
  }
}

}  // namespace

RidgeSolution solve_ridge_primal(const RidgeProblem& problem, double factor, PhaseTimer& timer, const Run& run) {
  const Index outputs = problem.targets.columns();
  const double penalty = problem.lambda / factor;
  const auto columns = static_cast<double>(default_columns(problem.samples).columns());
  require_memory(problem, (columns * columns + static_cast<double>(block_rows) * columns) * sizeof(double),
                 "the matrix of " + std::to_string(default_columns(problem.samples).columns()) + " columns",
                 "form=dual, or a larger memory_mb");
  timer.start("prepare");
  Blocks blocks(problem, run);

  timer.start("normal equations");
  const Index d = blocks.columns();
  auto [normal, right] = normal_equations(blocks, outputs, run);

  timer.start("factorization");
  double largest = 0;
  for (Index j = 0; j < d; ++j) {
    normal(j, j) += penalty;
    largest = std::max(largest, normal(j, j));
  }
  const CholeskyStatus status = try_cholesky<double>(normal.view(), run);
  require_well_posed<double>(normal.view(), status, largest, problem.lambda);

  timer.start("solve");
  auto weights = Matrix<double>::copy_of(right.view());
  cholesky_solve<double>(normal.view(), weights.view(), run);

  // One more pass: the residual of the normal equations, Bᵀ(r − Bw) − λ/c w, and leave-one-out.
  RidgeSolution solution;
  auto rest = Matrix<double>::copy_of(weights.view());
  scale(-penalty, std::span<double>(rest.data(), static_cast<std::size_t>(d * outputs)));
  if (problem.loo == LeaveOneOut::compute) {
    solution.loo_residuals = Matrix<double>(problem.samples.size(), outputs);
  }
  for (Index b = 0; b < blocks.count(); ++b) {
    const Blocks::Block block = blocks.load(b);
    parallel_gemm<double>(-1.0, block.rows, Transpose::no, weights.view(), Transpose::no, 1.0, block.targets, run);
    parallel_gemm<double>(1.0, block.rows, Transpose::yes, block.targets, Transpose::no, 1.0, rest.view(), run);
    if (solution.loo_residuals) {
      fill_leave_one_out(normal.view(), blocks, problem.part, blocks.range(b), block, solution.loo_residuals->view(),
                         run);
    }
  }
  const double size = frobenius_norm(right.view());
  solution.relative_residual = frobenius_norm(rest.view()) / (size > 0 ? size : 1.0);

  // f_o = k(w_o, ·)/c: one centre per output.
  Matrix<double> centers(outputs, d);
  solution.coefficients = Matrix<double>::filled(outputs, outputs, 0.0);
  solution.parametric = Matrix<double>(problem.part == ParametricPart::none ? 0 : 1, outputs);
  for (Index o = 0; o < outputs; ++o) {
    solution.coefficients(o, o) = 1 / factor;
    double offset = blocks.means().y[o];
    for (Index j = 0; j < d; ++j) {
      centers(o, j) = weights(j, o);
      offset -= weights(j, o) * blocks.means().x[j];
    }
    if (problem.part != ParametricPart::none) {
      solution.parametric(0, o) = offset;
    }
  }
  solution.centers = make_dense(std::move(centers));
  timer.stop();
  return solution;
}

RidgeSpectrum ridge_spectrum_primal(const RidgeProblem& problem, double factor, PhaseTimer& timer, const Run& run) {
  const Index n = problem.samples.size();
  const Index outputs = problem.targets.columns();
  const auto columns = static_cast<double>(default_columns(problem.samples).columns());
  require_memory(
      problem,
      (3 * columns * columns + (static_cast<double>(n) + static_cast<double>(block_rows)) * columns) * sizeof(double),
      "the spectrum of " + std::to_string(n) + " rows and " +
          std::to_string(default_columns(problem.samples).columns()) + " columns",
      "a smaller select_rows, or a larger memory_mb");
  timer.start("spectrum");
  Blocks blocks(problem, run);
  const Index d = blocks.columns();
  const NormalEquations sums = normal_equations(blocks, outputs, run);
  SymmetricEigen<double> eigen;
  eigen.vectors = Matrix<double>(d, 0);
  if (d > 0) {
    eigen = symmetric_eigen(sums.matrix.view(), run);
  }
  // Columns that depend on others add nothing; they would add rounding errors.
  const double floor =
      d > 0 ? static_cast<double>(d) * std::numeric_limits<double>::epsilon() * eigen.values.back() : 0;
  const auto begin = static_cast<Index>(
      std::upper_bound(eigen.values.begin(), eigen.values.end(), std::max(floor, 0.0)) - eigen.values.begin());
  const Index kept = d - begin;
  Matrix<double> directions(d, kept);
  RidgeSpectrum spectrum;
  for (Index j = 0; j < kept; ++j) {
    const double s = eigen.values[begin + j];
    spectrum.values.push_back(factor * s);
    for (Index i = 0; i < d; ++i) {
      directions(i, j) = eigen.vectors(i, begin + j) / std::sqrt(s);
    }
  }
  spectrum.scale = kept > 0 ? spectrum.values.back() : 1.0;
  spectrum.coefficients = Matrix<double>(kept, outputs);
  parallel_gemm<double>(1.0, directions.view(), Transpose::yes, sums.right.view(), Transpose::no, 0.0,
                        spectrum.coefficients.view(), run);
  spectrum.vectors = Matrix<double>(n, kept);
  spectrum.rest_targets = Matrix<double>(n, outputs);
  spectrum.rest.resize(n);
  const bool constant = problem.part != ParametricPart::none;
  spectrum.rest_trace = static_cast<double>(n - kept - (constant ? 1 : 0));
  for (Index b = 0; b < blocks.count(); ++b) {
    const Blocks::Block block = blocks.load(b);
    const IndexRange range = blocks.range(b);
    const MatrixView<double> vectors = spectrum.vectors.view().row_block(range);
    parallel_gemm<double>(1.0, block.rows, Transpose::no, directions.view(), Transpose::no, 0.0, vectors, run);
    parallel_gemm<double>(-1.0, vectors, Transpose::no, spectrum.coefficients.view(), Transpose::no, 1.0, block.targets,
                          run);
    for (Index i = 0; i < range.size(); ++i) {
      const double share = constant ? blocks.weight(range.begin + i) / blocks.means().weight : 0.0;
      const std::span<const double> row = vectors.row(i);
      spectrum.rest[range.begin + i] = std::max(0.0, 1 - share - dot(row, row));
      std::copy_n(block.targets.row_data(i), outputs, spectrum.rest_targets.view().row_data(range.begin + i));
    }
  }
  spectrum.weights = problem.weights;
  timer.stop();
  return spectrum;
}

}  // namespace mercer
