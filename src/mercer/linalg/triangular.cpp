#include "mercer/linalg/triangular.h"

#include "mercer/base/parallel.h"

namespace mercer {

namespace {

constexpr Index tile = 256;       // order of the diagonal blocks
constexpr Index row_strip = 512;  // rows of B that one task updates
constexpr Index column_strip = 256;

}  // namespace

template <class T>
void solve_lower(ConstMatrixViewOf<T> l, Transpose transpose, MatrixView<T> b, const Run& run) {
  assert(l.rows() == l.columns() && l.rows() == b.rows());
  if (b.empty()) {
    return;
  }
  const Index size = l.rows();
  const Index blocks = block_count(size, tile);
  const Index column_strips = block_count(b.columns(), column_strip);
  for (Index step = 0; step < blocks; ++step) {
    const bool forward = transpose == Transpose::no;
    const IndexRange pivot = block_range(size, tile, forward ? step : blocks - 1 - step);
    parallel_for(run, column_strips, [&](Index s) {
      trsm(Side::left, Uplo::lower, transpose, T{1}, l.block(pivot, pivot),
           b.block(pivot, block_range(b.columns(), column_strip, s)));
    });
    const IndexRange rest = forward ? IndexRange{pivot.end, size} : IndexRange{0, pivot.begin};
    const Index row_strips = block_count(rest.size(), row_strip);
    parallel_for(run, row_strips * column_strips, [&](Index t) {
      IndexRange rows = block_range(rest.size(), row_strip, t / column_strips);
      rows = {rows.begin + rest.begin, rows.end + rest.begin};
      const IndexRange columns = block_range(b.columns(), column_strip, t % column_strips);
      gemm(T{-1}, forward ? l.block(rows, pivot) : l.block(pivot, rows), transpose, b.block(pivot, columns),
           Transpose::no, T{1}, b.block(rows, columns));
    });
  }
}

template <class T>
void solve_lower(ConstMatrixViewOf<T> l, Transpose transpose, std::span<T> b, const Run& run) {
  assert(l.rows() == l.columns() && l.rows() == static_cast<Index>(b.size()));
  // Bound by reading L once: gemv on one thread nearly saturates the memory.
  const Index size = l.rows();
  const Index blocks = block_count(size, tile);
  const auto piece = [&](IndexRange range) {
    return b.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
  };
  for (Index step = 0; step < blocks; ++step) {
    run.check_stop();
    const bool forward = transpose == Transpose::no;
    const IndexRange pivot = block_range(size, tile, forward ? step : blocks - 1 - step);
    const IndexRange before = {0, pivot.begin};
    if (forward) {
      gemv(T{-1}, l.block(pivot, before), Transpose::no, std::span<const T>(piece(before)), T{1}, piece(pivot));
    }
    trsv(Uplo::lower, transpose, l.block(pivot, pivot), piece(pivot));
    if (!forward) {
      gemv(T{-1}, l.block(pivot, before), Transpose::yes, std::span<const T>(piece(pivot)), T{1}, piece(before));
    }
  }
}

template void solve_lower<double>(ConstMatrixView<double>, Transpose, MatrixView<double>, const Run&);
template void solve_lower<float>(ConstMatrixView<float>, Transpose, MatrixView<float>, const Run&);
template void solve_lower<double>(ConstMatrixView<double>, Transpose, std::span<double>, const Run&);
template void solve_lower<float>(ConstMatrixView<float>, Transpose, std::span<float>, const Run&);

}  // namespace mercer
