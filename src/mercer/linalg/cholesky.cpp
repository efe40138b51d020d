#include "mercer/linalg/cholesky.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/ordered_tasks.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

constexpr Index tile = 256;  // order of the diagonal blocks

// Row-major lower is column-major upper.
void lapack_potrf(int n, double* a, int stride, int* info) { dpotrf_("U", &n, a, &stride, info, 1); }
void lapack_potrf(int n, float* a, int stride, int* info) { spotrf_("U", &n, a, &stride, info, 1); }
void lapack_trtri(int n, double* a, int stride, int* info) { dtrtri_("U", "N", &n, a, &stride, info, 1, 1); }
void lapack_trtri(int n, float* a, int stride, int* info) { strtri_("U", "N", &n, a, &stride, info, 1, 1); }

void lapack_lauum(int n, double* a, int stride, int* info) { dlauum_("U", &n, a, &stride, info, 1); }
void lapack_lauum(int n, float* a, int stride, int* info) { slauum_("U", &n, a, &stride, info, 1); }

int lapack_stride(Index stride) {
  if (stride > std::numeric_limits<int>::max()) {
    throw InvalidArgument("a matrix with rows " + std::to_string(stride) + " apart exceeds what LAPACK can address");
  }
  return std::max(1, static_cast<int>(stride));
}

// Factors one diagonal block; the index of its first bad pivot or -1. BLAS lets NaN pass, so the diagonal is looked at.
template <class T>
Index factor_block(MatrixView<T> block) {
  int info = 0;
  lapack_potrf(static_cast<int>(block.rows()), block.data(), lapack_stride(block.stride()), &info);
  for (Index i = 0; i < block.rows(); ++i) {
    if (info == i + 1 || !(block(i, i) > 0) || !std::isfinite(block(i, i))) {
      return i;
    }
  }
  return -1;
}

struct TilePlace {
  Index row;
  Index column;
};

// The tiles (i, j), i >= j, of a lower triangle, numbered column by column.
class LowerTiles {
 public:
  explicit LowerTiles(Index size) : size_(size), blocks_(block_count(size, tile)) {
    for (Index j = 0; j < blocks_; ++j) {
      for (Index i = j; i < blocks_; ++i) {
        tiles_.push_back({i, j});
      }
    }
  }
  Index count() const { return static_cast<Index>(tiles_.size()); }
  TilePlace place(Index number) const { return tiles_[number]; }
  Index number(Index i, Index j) const { return j * blocks_ - j * (j - 1) / 2 + i - j; }
  IndexRange range(Index block) const { return block_range(size_, tile, block); }

 private:
  Index size_;
  Index blocks_;
  std::vector<TilePlace> tiles_;
};

// A_ij -= Σ_k L_ik L_jk' over the tile columns k of a range.
template <class T>
void subtract_products(MatrixView<T> a, IndexRange rows, IndexRange columns, IndexRange inner) {
  const ConstMatrixView<T> left = a.block(rows, inner);
  if (rows.begin == columns.begin) {
    syrk(T{-1}, left, Transpose::no, T{1}, a.block(rows, rows));
  } else {
    gemm(T{-1}, left, Transpose::no, ConstMatrixView<T>(a.block(columns, inner)), Transpose::yes, T{1},
         a.block(rows, columns));
  }
}

// Tile (i, j) of L from the finished tiles to the left of it, of row j, and above it. The last column is taken by
// itself: it is finished last, and the rest need not wait for it.
template <class T>
Index factor_tile(MatrixView<T> a, const LowerTiles& tiles, TilePlace place, const TaskBoard& board) {
  const auto [i, j] = place;
  const IndexRange rows = tiles.range(i);
  const IndexRange columns = tiles.range(j);
  for (const IndexRange inner : {IndexRange{0, std::max<Index>(0, j - 1)}, IndexRange{std::max<Index>(0, j - 1), j}}) {
    if (inner.size() > 0) {
      board.wait_for(tiles.number(i, inner.end - 1));
      board.wait_for(tiles.number(j, inner.end - 1));
      subtract_products(a, rows, columns, {tiles.range(inner.begin).begin, tiles.range(inner.end - 1).end});
    }
  }
  if (i == j) {
    const Index bad = factor_block(a.block(rows, rows));
    return bad < 0 ? bad : rows.begin + bad;
  }
  board.wait_for(tiles.number(j, j));
  trsm(Side::right, Uplo::lower, Transpose::yes, T{1}, ConstMatrixView<T>(a.block(columns, columns)),
       a.block(rows, columns));
  return -1;
}

}  // namespace

template <class T>
CholeskyStatus try_cholesky(MatrixView<T> a, const Run& run) {
  assert(a.rows() == a.columns());
  const LowerTiles tiles(a.rows());
  std::atomic<Index> failed_at{-1};
  parallel_in_order(
      run, tiles.count(),
      [&](Index t, const TaskBoard& board) {
        // A tile that follows a failure would be made of what is no factor: it is left as it is.
        if (failed_at < 0) {
          const Index bad = factor_tile(a, tiles, tiles.place(t), board);
          if (bad >= 0) {
            Index none = -1;  // a tile that was under way already must not hide the first failure
            failed_at.compare_exchange_strong(none, bad);
          }
        }
      },
      a.rows() > 8 * tile ? "factorization" : "");
  return {failed_at < 0, failed_at};
}

template <class T>
void cholesky(MatrixView<T> a, const Run& run) {
  const CholeskyStatus status = try_cholesky(a, run);
  if (!status.ok) {
    throw NumericalError(
        "the matrix of " + std::to_string(a.rows()) + " rows is not numerically positive definite: the pivot of row " +
        std::to_string(status.failed_at) +
        " (from 0) is not positive; add to the diagonal (ridge, noise, jitter) or use a positive kernel");
  }
}

template <class T>
void cholesky_solve(ConstMatrixViewOf<T> l, MatrixView<T> b, const Run& run) {
  solve_lower(l, Transpose::no, b, run);
  solve_lower(l, Transpose::yes, b, run);
}

template <class T>
void cholesky_solve(ConstMatrixViewOf<T> l, std::span<T> b, const Run& run) {
  solve_lower(l, Transpose::no, b, run);
  solve_lower(l, Transpose::yes, b, run);
}

namespace {

// L becomes W = L^-1, tile column by tile column from the right: W_ik = Σ_{k<m<=i} W_im X_m with X_m = -L_mk W_kk.
// The X of a column stand in a panel of their own, since W_ik replaces L_ik.
template <class T>
class LowerInverse {
 public:
  explicit LowerInverse(MatrixView<T> l)
      : l_(l), blocks_(block_count(l.rows(), tile)), panels_(panel_count * l.rows(), std::min(tile, l.rows())) {
    for (Index k = blocks_ - 1; k >= 0; --k) {
      tasks_.push_back({Step::diagonal, k, k});
    }
    for (Index k = blocks_ - 2; k >= 0; --k) {
      first_of_column_.push_back(static_cast<Index>(tasks_.size()));
      for (const Step step : {Step::scale, Step::multiply}) {
        for (Index i = blocks_ - 1; i > k; --i) {  // the longest sums first
          tasks_.push_back({step, i, k});
        }
      }
    }
  }

  void compute(const Run& run) {
    parallel_in_order(run, static_cast<Index>(tasks_.size()), [&](Index t, const TaskBoard& board) {
      const Task task = tasks_[t];
      switch (task.step) {
        case Step::diagonal:
          return invert_diagonal(task.column);
        case Step::scale:
          return scale(task.row, task.column, board);
        case Step::multiply:
          return multiply(task.row, task.column, board);
      }
    });
  }

 private:
  // Three columns are under way at most: one that ends, one that is multiplied, one that is scaled ahead.
  static constexpr Index panel_count = 3;
  enum class Step { diagonal, scale, multiply };
  struct Task {
    Step step;
    Index row;
    Index column;
  };

  IndexRange range(Index block) const { return block_range(l_.rows(), tile, block); }
  Index diagonal_task(Index k) const { return blocks_ - 1 - k; }
  Index scale_task(Index i, Index k) const { return column_start(k) + blocks_ - 1 - i; }
  Index multiply_task(Index i, Index k) const { return scale_task(i, k) + blocks_ - 1 - k; }
  Index column_start(Index k) const { return first_of_column_[blocks_ - 2 - k]; }
  // X_m for the tile rows m of `rows`.
  MatrixView<T> panel(Index k, IndexRange rows) {
    const Index begin = (k % panel_count) * l_.rows();
    return panels_.view().block({begin + rows.begin, begin + rows.end}, {0, range(k).size()});
  }

  void invert_diagonal(Index k) {
    int info = 0;
    const MatrixView<T> block = l_.block(range(k), range(k));
    lapack_trtri(static_cast<int>(block.rows()), block.data(), lapack_stride(block.stride()), &info);
  }

  void scale(Index i, Index k, const TaskBoard& board) {
    const Index last_user = k + panel_count;
    for (Index m = last_user + 1; m < blocks_; ++m) {
      board.wait_for(multiply_task(m, last_user));
    }
    board.wait_for(diagonal_task(k));
    const ConstMatrixView<T> source = l_.block(range(i), range(k));
    const MatrixView<T> target = panel(k, range(i));
    for (Index r = 0; r < source.rows(); ++r) {
      std::copy_n(source.row_data(r), source.columns(), target.row_data(r));
    }
    trmm(Side::right, Uplo::lower, Transpose::no, T{-1}, ConstMatrixView<T>(l_.block(range(k), range(k))), target);
  }

  void multiply(Index i, Index k, const TaskBoard& board) {
    for (Index m = k + 1; m <= i; ++m) {
      board.wait_for(scale_task(m, k));
    }
    board.wait_for(diagonal_task(i));
    const MatrixView<T> target = l_.block(range(i), range(k));
    const ConstMatrixView<T> own = panel(k, range(i));
    for (Index r = 0; r < own.rows(); ++r) {
      std::copy_n(own.row_data(r), own.columns(), target.row_data(r));
    }
    trmm(Side::left, Uplo::lower, Transpose::no, T{1}, ConstMatrixView<T>(l_.block(range(i), range(i))), target);
    // W_i,k+1 is finished last: what is to the right of it need not wait.
    add_products(i, k, {k + 2, i}, board);
    add_products(i, k, {k + 1, std::min(k + 2, i)}, board);
  }

  // W_ik += Σ_m W_im X_m over the tile columns m.
  void add_products(Index i, Index k, IndexRange inner, const TaskBoard& board) {
    if (inner.begin >= inner.end) {
      return;
    }
    board.wait_for(multiply_task(i, inner.begin));
    const IndexRange span = {range(inner.begin).begin, range(inner.end - 1).end};
    gemm(T{1}, ConstMatrixView<T>(l_.block(range(i), span)), Transpose::no, ConstMatrixView<T>(panel(k, span)),
         Transpose::no, T{1}, l_.block(range(i), range(k)));
  }

  MatrixView<T> l_;
  Index blocks_;
  Matrix<T> panels_;
  std::vector<Task> tasks_;
  std::vector<Index> first_of_column_;  // number of the first task of column blocks - 2, blocks - 3, …
};

// W becomes the lower triangle of W'W, row of tiles by row of tiles from the top: tile (i, j) = Σ_{r>=i} W_ri' W_rj
// needs only rows from i on. Its place may be written once tile (i - 1, j) is done: that one, and through it all those
// above and the whole of row j, were the last to read it.
template <class T>
void self_product_transposed(MatrixView<T> w, const Run& run) {
  const Index size = w.rows();
  const Index blocks = block_count(size, tile);
  const auto number = [](Index i, Index j) { return i * (i + 1) / 2 + j; };
  std::vector<TilePlace> places;
  for (Index i = 0; i < blocks; ++i) {
    for (Index j = 0; j <= i; ++j) {
      places.push_back({i, j});
    }
  }
  parallel_in_order(run, static_cast<Index>(places.size()), [&](Index t, const TaskBoard& board) {
    const auto [i, j] = places[t];
    const IndexRange rows = block_range(size, tile, i);
    const IndexRange columns = block_range(size, tile, j);
    const IndexRange below = {rows.end, size};
    const ConstMatrixView<T> left = w.block(below, rows);
    const MatrixView<T> target = w.block(rows, columns);
    if (i == j) {
      for (Index other = 0; other < i; ++other) {
        board.wait_for(number(i, other));
      }
      int info = 0;
      lapack_lauum(static_cast<int>(rows.size()), target.data(), lapack_stride(target.stride()), &info);
      syrk(T{1}, left, Transpose::yes, T{1}, target);
    } else {
      board.wait_for(number(i - 1, j));
      trmm(Side::left, Uplo::lower, Transpose::yes, T{1}, ConstMatrixView<T>(w.block(rows, rows)), target);
      gemm(T{1}, left, Transpose::yes, ConstMatrixView<T>(w.block(below, columns)), Transpose::no, T{1}, target);
    }
  });
}

}  // namespace

template <class T>
void cholesky_inverse(MatrixView<T> l, const Run& run) {
  if (l.rows() == 0) {
    return;
  }
  LowerInverse<T>(l).compute(run);
  self_product_transposed(l, run);
}

namespace {

template <class T>
double log_determinant_of(ConstMatrixView<T> l) {
  double sum = 0;
  for (Index i = 0; i < l.rows(); ++i) {
    sum += std::log(static_cast<double>(l(i, i)));
  }
  return 2 * sum;
}

}  // namespace

double log_determinant(ConstMatrixView<double> l) { return log_determinant_of(l); }
double log_determinant(ConstMatrixView<float> l) { return log_determinant_of(l); }

Matrix<double> lower_triangle(ConstMatrixView<double> l) {
  Matrix<double> copy = Matrix<double>::filled(l.rows(), l.rows(), 0.0);
  for (Index i = 0; i < l.rows(); ++i) {
    std::copy_n(&l(i, 0), i + 1, &copy(i, 0));
  }
  return copy;
}

#define MERCER_INSTANTIATE(T)                                                     \
  template CholeskyStatus try_cholesky<T>(MatrixView<T>, const Run&);             \
  template void cholesky<T>(MatrixView<T>, const Run&);                           \
  template void cholesky_solve<T>(ConstMatrixView<T>, MatrixView<T>, const Run&); \
  template void cholesky_solve<T>(ConstMatrixView<T>, std::span<T>, const Run&);  \
  template void cholesky_inverse<T>(MatrixView<T>, const Run&);
MERCER_INSTANTIATE(double)
MERCER_INSTANTIATE(float)
#undef MERCER_INSTANTIATE

}  // namespace mercer
