#include "mercer/linalg/cholesky.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

constexpr Index tile = 256;         // order of the diagonal blocks and width of a panel
constexpr Index update_rows = 512;  // one task updates a rectangle of the trailing matrix
constexpr Index update_columns = 1024;

// Row-major lower is column-major upper.
void lapack_potrf(int n, double* a, int stride, int* info) { dpotrf_("U", &n, a, &stride, info, 1); }
void lapack_potrf(int n, float* a, int stride, int* info) { spotrf_("U", &n, a, &stride, info, 1); }
void lapack_trtri(int n, double* a, int stride, int* info) { dtrtri_("U", "N", &n, a, &stride, info, 1, 1); }
void lapack_trtri(int n, float* a, int stride, int* info) { strtri_("U", "N", &n, a, &stride, info, 1, 1); }

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

// The trailing matrix A22 -= L21 L21', lower triangle, cut into rectangles; those that meet the diagonal are cut
// again into columns of `tile`, so that little is computed above the diagonal.
template <class T>
void update_rectangle(MatrixView<T> a, IndexRange panel, IndexRange rows, IndexRange columns) {
  const IndexRange left = {columns.begin, std::min(columns.end, rows.begin)};
  gemm(T{-1}, ConstMatrixView<T>(a.block(rows, panel)), Transpose::no, a.block(left, panel), Transpose::yes, T{1},
       a.block(rows, left));
  for (Index begin = std::max(columns.begin, rows.begin); begin < std::min(columns.end, rows.end); begin += tile) {
    const IndexRange block = {begin, std::min({begin + tile, columns.end, rows.end})};
    syrk(T{-1}, ConstMatrixView<T>(a.block(block, panel)), Transpose::no, T{1}, a.block(block, block));
    const IndexRange below = {block.end, rows.end};
    gemm(T{-1}, ConstMatrixView<T>(a.block(below, panel)), Transpose::no, a.block(block, panel), Transpose::yes, T{1},
         a.block(below, block));
  }
}

template <class T>
void update_trailing(MatrixView<T> a, IndexRange panel, const Run& run) {
  const Index begin = panel.end;
  const Index rest = a.rows() - begin;
  const Index row_count = block_count(rest, update_rows);
  const Index column_count = block_count(rest, update_columns);
  // The longest rows come first: what is left for the end is small.
  parallel_for(run, row_count * column_count, [&](Index t) {
    IndexRange rows = block_range(rest, update_rows, row_count - 1 - t / column_count);
    IndexRange columns = block_range(rest, update_columns, t % column_count);
    if (columns.begin < rows.end) {
      update_rectangle(a, panel, {rows.begin + begin, rows.end + begin}, {columns.begin + begin, columns.end + begin});
    }
  });
}

}  // namespace

template <class T>
CholeskyStatus try_cholesky(MatrixView<T> a, const Run& run) {
  assert(a.rows() == a.columns());
  const Index size = a.rows();
  for (Index begin = 0; begin < size; begin += tile) {
    run.check_stop();
    const IndexRange panel = {begin, std::min(begin + tile, size)};
    const Index bad = factor_block(a.block(panel, panel));
    if (bad >= 0) {
      return {false, begin + bad};
    }
    const IndexRange below = {panel.end, size};
    parallel_for(run, block_count(below.size(), tile), [&](Index b) {
      const IndexRange strip = block_range(below.size(), tile, b);
      trsm(Side::right, Uplo::lower, Transpose::yes, T{1}, ConstMatrixView<T>(a.block(panel, panel)),
           a.block({strip.begin + below.begin, strip.end + below.begin}, panel));
    });
    update_trailing(a, panel, run);
    if (size > 8 * tile) {
      const auto part = static_cast<double>(below.size()) / static_cast<double>(size);
      run.progress("factorization", 1 - part * part * part, 1);
    }
  }
  return {};
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

// L becomes W = L^-1, column of tiles by column of tiles from the right: W21 = -W22 L21 W11.
template <class T>
void invert_lower(MatrixView<T> l, const Run& run) {
  const Index size = l.rows();
  const Index blocks = block_count(size, tile);
  Matrix<T> panel(size, std::min(tile, size));
  for (Index k = blocks - 1; k >= 0; --k) {
    const IndexRange pivot = block_range(size, tile, k);
    const IndexRange below = {pivot.end, size};
    const MatrixView<T> copy = panel.view().block(0, 0, below.size(), pivot.size());
    const Index strips = block_count(below.size(), tile);
    parallel_for(run, strips, [&](Index s) {
      const IndexRange rows = block_range(below.size(), tile, s);
      for (Index i = rows.begin; i < rows.end; ++i) {
        std::copy_n(l.row_data(below.begin + i) + pivot.begin, pivot.size(), copy.row_data(i));
      }
      trsm(Side::right, Uplo::lower, Transpose::no, T{-1}, ConstMatrixView<T>(l.block(pivot, pivot)),
           copy.row_block(rows));
    });
    parallel_for(run, strips, [&](Index s) {
      const IndexRange rows = block_range(below.size(), tile, strips - 1 - s);
      const IndexRange absolute = {rows.begin + below.begin, rows.end + below.begin};
      const MatrixView<T> target = l.block(absolute, pivot);
      for (Index i = rows.begin; i < rows.end; ++i) {
        std::copy_n(copy.row_data(i), pivot.size(), target.row_data(i - rows.begin));
      }
      trmm(Side::left, Uplo::lower, Transpose::no, T{1}, ConstMatrixView<T>(l.block(absolute, absolute)), target);
      gemm(T{1}, ConstMatrixView<T>(l.block(absolute, {below.begin, absolute.begin})), Transpose::no,
           copy.row_block({0, rows.begin}), Transpose::no, T{1}, target);
    });
    int info = 0;
    lapack_trtri(static_cast<int>(pivot.size()), l.block(pivot, pivot).data(), lapack_stride(l.stride()), &info);
  }
}

// W becomes the lower triangle of W'W, row of tiles by row of tiles from the top: row i needs only rows from i on.
template <class T>
void self_product_transposed(MatrixView<T> w, const Run& run) {
  const Index size = w.rows();
  const Index blocks = block_count(size, tile);
  Matrix<T> diagonal(std::min(tile, size), std::min(tile, size));
  for (Index i = 0; i < blocks; ++i) {
    const IndexRange rows = block_range(size, tile, i);
    const IndexRange below = {rows.end, size};
    const MatrixView<T> corner = diagonal.view().block(0, 0, rows.size(), rows.size());
    for (Index r = 0; r < rows.size(); ++r) {
      for (Index c = 0; c < rows.size(); ++c) {
        corner(r, c) = c <= r ? w(rows.begin + r, rows.begin + c) : T{0};
      }
    }
    parallel_for(run, i + 1, [&](Index j) {
      const IndexRange columns = block_range(size, tile, j);
      const MatrixView<T> target = w.block(rows, columns);
      const ConstMatrixView<T> left = w.block(below, rows);
      if (j == i) {
        syrk(T{1}, ConstMatrixView<T>(corner), Transpose::yes, T{0}, target);
        syrk(T{1}, left, Transpose::yes, T{1}, target);
      } else {
        trmm(Side::left, Uplo::lower, Transpose::yes, T{1}, ConstMatrixView<T>(corner), target);
        gemm(T{1}, left, Transpose::yes, ConstMatrixView<T>(w.block(below, columns)), Transpose::no, T{1}, target);
      }
    });
  }
}

}  // namespace

template <class T>
void cholesky_inverse(MatrixView<T> l, const Run& run) {
  if (l.rows() == 0) {
    return;
  }
  invert_lower(l, run);
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
