// Inner products of sparse rows, tile by tile.
//
// Thirty-two rows of y are scattered into a column-major block (column c holds their entries side by side); every
// nonzero of a row of x then costs one multiply-add of thirty-two lanes, and the sums are neighbours in the tile. The
// work is nonzeros of x × rows of y, with no merging of index lists and no branches.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "mercer/kernels/geometry.h"

namespace mercer {

/// Row i as numbers of type S, zeros included.
template <class T, class S>
void read_row(const DenseRows<T>& rows, Index i, std::span<S> out) {
  for (Index j = 0; j < rows.columns; ++j) {
    out[j] = static_cast<S>(rows(i, j));
  }
}
template <class T, class S>
void read_row(const SparseRows<T>& rows, Index i, std::span<S> out) {
  std::fill(out.begin(), out.end(), S(0));
  for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
    out[rows.column_numbers[at]] = static_cast<S>(rows.values[at]);
  }
}

/// Whether these rows are sparse, and their products would cost less were they dense.
bool worth_densifying(const Samples& samples);

/// out(i, j) = x_{rows.begin+i} · y_{columns.begin+j}; either side may be dense.
template <class T>
void sparse_inner_products(const Geometry<T>& x, IndexRange rows, const Geometry<T>& y, IndexRange columns,
                           Workspace& workspace, MatrixView<T> out);

}  // namespace mercer
