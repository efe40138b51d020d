// The float factor of IterativeSystem: how it is made, checked and used.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/scratch_matrix.h"
#include "mercer/linalg/triangular.h"
#include "mercer/models/gp/iterative/iterative.h"

namespace mercer {

namespace {

constexpr Index float_tile = 256;
// Of the check of a float factor: probes of either kind, what the determinant may be wrong by (the mean eigenvalue of
// P^-1 A, and the shift, both in units where the noise is 1), and what variances may be wrong by, relatively.
constexpr Index most_probes = 8;
constexpr double determinant_error = 1e-3;
constexpr double variance_error = 1e-2;
constexpr std::uint64_t probe_stream = 0x70726f626573;

}  // namespace

// 1 + shift + K̃, the tiles on and below the diagonal.
void IterativeSystem::fill_single(const Run& run) {
  const Index blocks = block_count(size(), float_tile);
  std::vector<Workspace> workspaces(run.threads());
  const auto fill_rows = [&](Index task, int worker) {
    const IndexRange rows = block_range(size(), float_tile, blocks - 1 - task);  // the longest first
    Workspace& workspace = workspaces[worker];
    ScratchMatrix<double> block(workspace, float_tile, float_tile);
    for (Index c = 0; c * float_tile < rows.end; ++c) {
      run.check_stop();
      const IndexRange columns = block_range(size(), float_tile, c);
      const MatrixView<double> k(block.view().data(), rows.size(), columns.size());
      gram_->fill(rows, columns, k, workspace);
      for (Index i = 0; i < rows.size(); ++i) {
        const double weight = scaling_[rows.begin + i];
        float* const out = single_.view().row_data(rows.begin + i) + columns.begin;
        for (Index j = 0; j < columns.size(); ++j) {
          out[j] = static_cast<float>(weight * scaling_[columns.begin + j] * k(i, j));
        }
      }
    }
    for (Index i = rows.begin; i < rows.end; ++i) {
      single_(i, i) += static_cast<float>(1 + shift_);
    }
  };
  parallel_for_workers(run, blocks, fill_rows, "kernel matrix");
}

void IterativeSystem::build_float_factor(const Run& run) {
  single_ = Matrix<float>(size(), size());
  while (true) {
    fill_single(run);
    double largest = 1;
    for (Index i = 0; i < size(); ++i) {
      largest = std::max(largest, static_cast<double>(single_(i, i)));
    }
    if (try_cholesky<float>(single_.view(), run).ok) {
      return;
    }
    if (shift_ > 1e-2 * largest) {
      throw NumericalError(
          "the kernel matrix has no Cholesky factor in single precision, even with 1 % of its largest entry added to "
          "the diagonal: the kernel is not positive definite on these samples");
    }
    shift_ = std::max(10 * shift_, 8 * static_cast<double>(std::numeric_limits<float>::epsilon()) * largest);
    // With such a shift the factor is a preconditioner only, and one of low rank may be better, and at hand sooner.
    if (shift_ > determinant_error && !solver_) {
      build_low_rank(run);
      if (mean_residual_ <= determinant_error) {
        single_ = Matrix<float>();
        return;
      }
    }
  }
}

// What the factor L, P = LL', says against A = 1 + K̃, by one product with K:
//
//   determinant   z'L^-1 A L^-T z over z'z for random signs z: on average the mean eigenvalue of P^-1 A, which is 1
//   variances     k'P^-1 k for rows k of K against x'(k + r) with x = P^-1 k and r = k - Ax, whose error is a square
void IterativeSystem::check_float_factor(const Run& run) {
  const Index n = size();
  const Index probes = std::min(most_probes, n);
  RandomStream random(0, probe_stream);
  Matrix<float> signs(n, probes);
  for (Index i = 0; i < n; ++i) {
    for (Index p = 0; p < probes; ++p) {
      signs(i, p) = random.uniform() < 0.5 ? -1.0F : 1.0F;
    }
  }
  solve_lower<float>(single_.view(), Transpose::yes, signs.view(), run);
  std::vector<Index> rows;
  for (Index p = 0; p < probes; ++p) {
    rows.push_back((2 * p + 1) * n / (2 * probes));
  }
  Matrix<double> k(probes, n);
  gram_->rows(rows, k.view(), run.quiet());
  Matrix<float> half(n, probes);
  for (Index i = 0; i < n; ++i) {
    for (Index p = 0; p < probes; ++p) {
      half(i, p) = static_cast<float>(scaling_[i] * k(p, i));
    }
  }
  solve_lower<float>(single_.view(), Transpose::no, half.view(), run);
  Matrix<float> whole = Matrix<float>::copy_of(half.view());
  solve_lower<float>(single_.view(), Transpose::yes, whole.view(), run);
  Matrix<double> x(n, 2 * probes);  // the probes of the determinant, then the solutions of the rows
  for (Index i = 0; i < n; ++i) {
    for (Index p = 0; p < probes; ++p) {
      x(i, p) = scaling_[i] * static_cast<double>(signs(i, p));
      x(i, probes + p) = scaling_[i] * static_cast<double>(whole(i, p));
    }
  }
  Matrix<double> product(n, 2 * probes);
  multiply(x.view(), product.view(), run.quiet());
  const auto sum = [&](const auto& term) {
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      total += term(i);
    }
    return total;
  };
  double eigenvalue = 0;
  exact_variances_ = true;
  for (Index p = 0; p < probes; ++p) {
    eigenvalue += sum([&](Index i) { return x(i, p) * product(i, p); }) / static_cast<double>(n * probes);
    const double plain =
        sum([&](Index i) { return static_cast<double>(half(i, p)) * static_cast<double>(half(i, p)); });
    const double refined = sum([&](Index i) { return x(i, probes + p) * (2 * k(p, i) - product(i, probes + p)); });
    const double variance = k(p, rows[p]) - refined;
    exact_variances_ = exact_variances_ && std::abs(plain - refined) <= variance_error * variance;
  }
  exact_determinant_ = shift_ <= determinant_error && std::abs(eigenvalue - 1) <= determinant_error;
  exact_variances_ = exact_variances_ && exact_determinant_;
  if (!exact_determinant_ && !solver_) {
    build_low_rank(run);
    if (mean_residual_ <= determinant_error) {
      single_ = Matrix<float>();
    }
  }
}

template <class Solve>
void IterativeSystem::in_single(MatrixView<double> z, const Solve& solve) const {
  // Residuals get small: each column is brought to length 1 so that none leaves the range of floats.
  std::vector<double> lengths(z.columns(), 0.0);
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index j = 0; j < z.columns(); ++j) {
      lengths[j] += z(i, j) * z(i, j);
    }
  }
  for (double& length : lengths) {
    length = length > 0 ? std::sqrt(length) : 1.0;
  }
  Matrix<float> work(z.rows(), z.columns());
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index j = 0; j < z.columns(); ++j) {
      work(i, j) = static_cast<float>(z(i, j) / lengths[j]);
    }
  }
  solve(work.view());
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index j = 0; j < z.columns(); ++j) {
      z(i, j) = static_cast<double>(work(i, j)) * lengths[j];
    }
  }
}

void IterativeSystem::solve_single(MatrixView<double> z, const Run& run) const {
  in_single(z, [&](MatrixView<float> work) { cholesky_solve<float>(single_.view(), work, run); });
}

// ln|1 + K̃| = ln|LL'| + tr ln L^-1 (1 + K̃) L^-T.
TraceEstimate IterativeSystem::float_determinant(const Run& run) const {
  const Run inner = run.quiet();
  const auto solve = [&](MatrixView<double> z, Transpose transpose) {
    in_single(z, [&](MatrixView<float> work) { solve_lower<float>(single_.view(), transpose, work, inner); });
  };
  const auto whitened = [&](ConstMatrixView<double> v, MatrixView<double> out) {
    Matrix<double> x = Matrix<double>::copy_of(v);
    solve(x.view(), Transpose::yes);
    weigh(x.view());
    multiply(x.view(), out, inner);
    weigh(out);
    solve(out, Transpose::no);
  };
  TraceEstimate estimate = trace_of_logarithm(whitened, size(), {}, run);
  estimate.value += log_determinant(float_factor());
  return estimate;
}

}  // namespace mercer
