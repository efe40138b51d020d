#include "mercer/solvers/falkon/falkon_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/scratch_matrix.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

constexpr Index factor_tile = 256;
constexpr Index sketch_rows = 2048;

// The tile (i, k) of an upper triangular matrix, with zeros below the diagonal.
void copy_upper_tile(ConstMatrixView<double> u, IndexRange rows, IndexRange columns, MatrixView<double> out) {
  for (Index i = 0; i < rows.size(); ++i) {
    const Index zeros = std::clamp<Index>(rows.begin + i - columns.begin, 0, columns.size());
    std::fill_n(out.row_data(i), zeros, 0.0);
    std::copy_n(u.row_data(rows.begin + i) + columns.begin + zeros, columns.size() - zeros, out.row_data(i) + zeros);
  }
}

double largest_diagonal(ConstMatrixView<double> a) {
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    largest = std::max(largest, std::abs(a(i, i)));
  }
  return largest;
}

}  // namespace

FalkonFactor::FalkonFactor(const FalkonRows& rows, double lambda, const Run& run)
    : size_(rows.columns()), factors_(rows.landmarks() + 1, rows.landmarks()) {
  const Index m = rows.landmarks();
  for (double relative = 1e-13 * static_cast<double>(m);; relative *= 10) {
    rows.landmark_gram(lower(), run);
    largest_ = largest_diagonal(lower());
    if (!std::isfinite(largest_)) {
      throw NumericalError("a kernel value of a landmark with itself is not finite");
    }
    shift_ = std::max(relative * (largest_ > 0 ? largest_ : 1.0), 1e-7 * std::min(lambda, largest_));
    for (Index i = 0; i < m; ++i) {
      lower()(i, i) += shift_;
    }
    if (try_cholesky<double>(lower(), run).ok) {
      break;
    }
    if (relative > 1e-6) {
      throw NumericalError(
          "the kernel matrix of the landmarks is not positive definite, even with 1e-6 of its diagonal added: the "
          "kernel is not positive definite on these samples");
    }
  }
  parallel_for(run, block_count(m, factor_tile), [&](Index b) {
    const IndexRange block = block_range(m, factor_tile, b);
    for (Index j = 0; j < m; ++j) {
      for (Index i = block.begin; i < std::min(block.end, j + 1); ++i) {
        upper()(i, j) = lower()(j, i);
      }
    }
  });
  if (size_ > m) {
    border_.assign(m, 0.0);
  }
}

// S = T W Tᵀ, its lower triangle, by tiles.
void FalkonFactor::fill_square(std::span<const double> weights, const Run& run) {
  const Index m = landmarks();
  const Index blocks = block_count(m, factor_tile);
  std::vector<Workspace> workspaces(run.threads());
  // The rows of the longest sums first, so that threads end together.
  parallel_for_workers(run, blocks * blocks, [&](Index task, int worker) {
    const Index bi = task / blocks;
    const Index bj = task % blocks;
    if (bj > bi) {
      return;
    }
    Workspace& workspace = workspaces[worker];
    const IndexRange rows = block_range(m, factor_tile, bi);
    const IndexRange columns = block_range(m, factor_tile, bj);
    ScratchMatrix<double> left(workspace, rows.size(), factor_tile);
    ScratchMatrix<double> right(workspace, columns.size(), factor_tile);
    ScratchMatrix<double> sum(workspace, rows.size(), columns.size());
    for (Index k = bi; k < blocks; ++k) {
      run.check_stop();
      const IndexRange inner_range = block_range(m, factor_tile, k);
      const MatrixView<double> l(left.view().data(), rows.size(), inner_range.size());
      const MatrixView<double> r(right.view().data(), columns.size(), inner_range.size());
      copy_upper_tile(upper(), rows, inner_range, l);
      copy_upper_tile(upper(), columns, inner_range, r);
      for (Index i = 0; i < l.rows(); ++i) {
        for (Index j = 0; j < l.columns(); ++j) {
          l(i, j) *= weights[inner_range.begin + j];
        }
      }
      gemm(1.0, l, Transpose::no, r, Transpose::yes, k == bi ? 0.0 : 1.0, sum.view());
    }
    for (Index i = 0; i < rows.size(); ++i) {
      const Index width = std::min(columns.size(), rows.begin + i + 1 - columns.begin);
      std::copy_n(sum.view().row_data(i), width, lower().row_data(rows.begin + i) + columns.begin);
    }
  });
}

void FalkonFactor::build_from_landmarks(std::span<const double> weights, double lambda, const Run& run) {
  const Index m = landmarks();
  fill_square(weights, run);
  if (!border_.empty()) {
    for (Index i = 0; i < m; ++i) {
      double sum = 0;
      for (Index j = i; j < m; ++j) {
        sum += upper()(i, j) * weights[j];
      }
      border_[i] = sum;
    }
  }
  factor_square(lambda, std::accumulate(weights.begin(), weights.end(), 0.0), run);
}

void FalkonFactor::build_from_rows(const FalkonRows& rows, std::span<const Index> list, std::span<const double> weights,
                                   double lambda, const Run& run) {
  const Index m = landmarks();
  for (Index i = 0; i < m; ++i) {
    std::fill_n(lower().row_data(i), i + 1, 0.0);
  }
  std::fill(border_.begin(), border_.end(), 0.0);
  const auto count = static_cast<Index>(list.size());
  for (Index b = 0; b < block_count(count, sketch_rows); ++b) {
    const IndexRange part = block_range(count, sketch_rows, b);
    Matrix<double> k(m, part.size());
    rows.transposed_rows(list.subspan(static_cast<std::size_t>(part.begin), static_cast<std::size_t>(part.size())),
                         k.view(), run);
    for (Index i = 0; i < m; ++i) {
      for (Index s = 0; s < part.size(); ++s) {
        k(i, s) *= std::sqrt(weights[part.begin + s]);
      }
    }
    solve_upper(Transpose::yes, k.view(), run);
    for (Index i = 0; i < m && !border_.empty(); ++i) {
      for (Index s = 0; s < part.size(); ++s) {
        border_[i] += k(i, s) * std::sqrt(weights[part.begin + s]);
      }
    }
    // Nothing above the diagonal of the result is touched: T stands there.
    parallel_syrk<double>(1.0, k.view(), Transpose::no, 1.0, lower(), run);
  }
  factor_square(lambda, std::accumulate(weights.begin(), weights.end(), 0.0), run);
}

void FalkonFactor::factor_square(double lambda, double total, const Run& run) {
  const Index m = landmarks();
  // It is only a preconditioner: what rounding takes from S may be given back generously.
  const double rounding =
      static_cast<double>(m) * std::numeric_limits<double>::epsilon() * std::max(largest_diagonal(lower()), lambda);
  for (Index i = 0; i < m; ++i) {
    lower()(i, i) += lambda + rounding;
  }
  cholesky<double>(lower(), run);
  if (!border_.empty()) {
    solve_lower<double>(lower(), Transpose::no, std::span(border_), run);
    const double rest = total - dot(std::span<const double>(border_), std::span<const double>(border_));
    border_diagonal_ = std::sqrt(std::max(rest, 1e-12 * total));
  }
}

void FalkonFactor::solve_upper(Transpose transpose, MatrixView<double> x, const Run& run) const {
  constexpr Index width = 32;
  if (x.columns() == 1 && x.stride() == 1) {
    trsv(Uplo::upper, transpose, upper(), std::span<double>(x.data(), static_cast<std::size_t>(x.rows())));
    return;
  }
  parallel_for(run, block_count(x.columns(), width), [&](Index b) {
    const IndexRange columns = block_range(x.columns(), width, b);
    trsm(Side::left, Uplo::upper, transpose, 1.0, upper(), x.block({0, x.rows()}, columns));
  });
}

void FalkonFactor::to_coefficients(MatrixView<double> x, const Run& run) const {
  solve_upper(Transpose::no, x.row_block({0, landmarks()}), run);
}

void FalkonFactor::to_coordinates_transposed(MatrixView<double> x, const Run& run) const {
  solve_upper(Transpose::yes, x.row_block({0, landmarks()}), run);
}

void FalkonFactor::precondition(MatrixView<double> x, const Run& run) const {
  const Index m = landmarks();
  if (!border_.empty()) {
    for (Index o = 0; o < x.columns(); ++o) {
      x(m, o) /= border_diagonal_;
      for (Index i = 0; i < m; ++i) {
        x(i, o) -= border_[i] * x(m, o);
      }
    }
  }
  solve_lower<double>(lower(), Transpose::yes, x.row_block({0, m}), run);
}

void FalkonFactor::precondition_transposed(MatrixView<double> x, const Run& run) const {
  const Index m = landmarks();
  solve_lower<double>(lower(), Transpose::no, x.row_block({0, m}), run);
  if (!border_.empty()) {
    for (Index o = 0; o < x.columns(); ++o) {
      for (Index i = 0; i < m; ++i) {
        x(m, o) -= border_[i] * x(i, o);
      }
      x(m, o) /= border_diagonal_;
    }
  }
}

}  // namespace mercer
