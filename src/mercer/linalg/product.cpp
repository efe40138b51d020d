#include "mercer/linalg/product.h"

#include <algorithm>
#include <vector>

#include "mercer/base/parallel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

constexpr Index tile = 512;         // rows and columns of C per task
constexpr Index inner_tile = 4096;  // longest inner dimension between two looks at the stop token
constexpr Index strip = 256;        // rows of C per task where A is symmetric
constexpr Index most_partials = 16;

template <class T>
ConstMatrixView<T> op_block(ConstMatrixView<T> a, Transpose transpose, IndexRange rows, IndexRange columns) {
  return transpose == Transpose::no ? a.block(rows, columns) : a.block(columns, rows);
}

// One tile of C, along the whole inner range.
template <class T>
void gemm_tile(T alpha, ConstMatrixView<T> a, Transpose ta, ConstMatrixView<T> b, Transpose tb, T beta, MatrixView<T> c,
               IndexRange rows, IndexRange columns, IndexRange inner, const Run& run) {
  if (inner.size() == 0) {
    gemm(alpha, op_block(a, ta, rows, inner), ta, op_block(b, tb, inner, columns), tb, beta, c);
    return;
  }
  for (Index k = inner.begin; k < inner.end; k += inner_tile) {
    run.check_stop();
    const IndexRange part = {k, std::min(k + inner_tile, inner.end)};
    gemm(alpha, op_block(a, ta, rows, part), ta, op_block(b, tb, part, columns), tb, k == inner.begin ? beta : T{1}, c);
  }
}

// C = beta C + the sum of the partial products, in order.
template <class T>
void add_partials(const std::vector<Matrix<T>>& partials, T beta, MatrixView<T> c) {
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j < c.columns(); ++j) {
      T sum = beta == 0 ? T{0} : beta * c(i, j);
      for (const Matrix<T>& partial : partials) {
        sum += partial(i, j);
      }
      c(i, j) = sum;
    }
  }
}

}  // namespace

template <class T>
void parallel_gemm(std::type_identity_t<T> alpha, ConstMatrixViewOf<T> a, Transpose ta, ConstMatrixViewOf<T> b,
                   Transpose tb, std::type_identity_t<T> beta, MatrixView<T> c, const Run& run) {
  if (c.empty()) {
    return;
  }
  const Index inner = ta == Transpose::no ? a.columns() : a.rows();
  const Index row_tiles = block_count(c.rows(), tile);
  const Index column_tiles = block_count(c.columns(), tile);
  const Index tiles = row_tiles * column_tiles;
  if (tiles < most_partials && inner > inner_tile) {
    const Index parts = std::min(most_partials, block_count(inner, inner_tile / 4));
    const Index length = block_count(inner, parts);
    std::vector<Matrix<T>> partials;
    for (Index p = 0; p < block_count(inner, length); ++p) {
      partials.emplace_back(c.rows(), c.columns());
    }
    parallel_for(run, static_cast<Index>(partials.size()), [&](Index p) {
      gemm_tile(alpha, a, ta, b, tb, T{0}, partials[p].view(), {0, c.rows()}, {0, c.columns()},
                block_range(inner, length, p), run);
    });
    add_partials(partials, beta, c);
    return;
  }
  parallel_for(run, tiles, [&](Index t) {
    const IndexRange rows = block_range(c.rows(), tile, t / column_tiles);
    const IndexRange columns = block_range(c.columns(), tile, t % column_tiles);
    gemm_tile(alpha, a, ta, b, tb, beta, c.block(rows, columns), rows, columns, {0, inner}, run);
  });
}

template <class T>
void parallel_syrk(std::type_identity_t<T> alpha, ConstMatrixViewOf<T> a, Transpose transpose,
                   std::type_identity_t<T> beta, MatrixView<T> c, const Run& run) {
  if (c.empty()) {
    return;
  }
  const Index size = c.rows();
  const Index inner = transpose == Transpose::no ? a.columns() : a.rows();
  const Transpose other = transpose == Transpose::no ? Transpose::yes : Transpose::no;
  if (size <= tile) {
    // One tile: its rows would be one task, so the inner dimension is cut instead.
    Matrix<T> product(size, size);
    parallel_gemm(alpha, a, transpose, a, other, T{0}, product.view(), run);
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j <= i; ++j) {
        c(i, j) = product(i, j) + (beta == 0 ? T{0} : beta * c(i, j));
      }
    }
    return;
  }
  const Index blocks = block_count(size, tile);
  parallel_for(run, blocks * (blocks + 1) / 2, [&](Index t) {
    Index i = 0;
    while ((i + 1) * (i + 2) / 2 <= t) {
      ++i;
    }
    const Index j = t - i * (i + 1) / 2;
    const IndexRange rows = block_range(size, tile, i);
    const IndexRange columns = block_range(size, tile, j);
    if (i != j) {
      gemm_tile(alpha, a, transpose, a, other, beta, c.block(rows, columns), rows, columns, {0, inner}, run);
      return;
    }
    for (Index k = 0; k < inner || k == 0; k += inner_tile) {
      run.check_stop();
      const IndexRange part = {k, std::min(k + inner_tile, inner)};
      syrk(alpha, op_block(a, transpose, rows, part), transpose, k == 0 ? beta : T{1}, c.block(rows, rows));
    }
  });
}

template <class T>
void parallel_symm(std::type_identity_t<T> alpha, ConstMatrixViewOf<T> a, ConstMatrixViewOf<T> b,
                   std::type_identity_t<T> beta, MatrixView<T> c, const Run& run) {
  const Index size = a.rows();
  const Index row_strips = block_count(size, strip);
  const Index column_strips = block_count(c.columns(), tile);
  parallel_for(run, row_strips * column_strips, [&](Index t) {
    const IndexRange rows = block_range(size, strip, t / column_strips);
    const IndexRange columns = block_range(c.columns(), tile, t % column_strips);
    const MatrixView<T> target = c.block(rows, columns);
    symm(Side::left, alpha, a.block(rows, rows), b.block(rows, columns), beta, target);
    gemm(alpha, a.block(rows, {0, rows.begin}), Transpose::no, b.block({0, rows.begin}, columns), Transpose::no, T{1},
         target);
    gemm(alpha, a.block({rows.end, size}, rows), Transpose::yes, b.block({rows.end, size}, columns), Transpose::no,
         T{1}, target);
  });
}

template <class T>
void mirror_lower(MatrixView<T> a, const Run& run) {
  const Index size = a.rows();
  // Small squares: both the reads and the writes stay in cache.
  constexpr Index square = 64;
  parallel_for(run, block_count(size, square), [&](Index t) {
    const IndexRange rows = block_range(size, square, t);
    for (Index begin = 0; begin < rows.end; begin += square) {
      for (Index i = rows.begin; i < rows.end; ++i) {
        for (Index j = begin; j < std::min(begin + square, i); ++j) {
          a(j, i) = a(i, j);
        }
      }
    }
  });
}

#define MERCER_INSTANTIATE(T)                                                                                       \
  template void parallel_gemm<T>(T, ConstMatrixView<T>, Transpose, ConstMatrixView<T>, Transpose, T, MatrixView<T>, \
                                 const Run&);                                                                       \
  template void parallel_syrk<T>(T, ConstMatrixView<T>, Transpose, T, MatrixView<T>, const Run&);                   \
  template void parallel_symm<T>(T, ConstMatrixView<T>, ConstMatrixView<T>, T, MatrixView<T>, const Run&);          \
  template void mirror_lower<T>(MatrixView<T>, const Run&);
MERCER_INSTANTIATE(double)
MERCER_INSTANTIATE(float)
#undef MERCER_INSTANTIATE

}  // namespace mercer
