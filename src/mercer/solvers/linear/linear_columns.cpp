#include "mercer/solvers/linear/linear_columns.h"

#include <algorithm>

#include "mercer/base/parallel.h"

namespace mercer::linear {

template <class T>
DenseColumns<T>::DenseColumns(const DenseRows<T>& rows, const Run& run)
    : data_(rows.data), rows_(rows.rows), columns_(rows.columns), stride_(rows.column_stride) {
  if (rows.row_stride == 1) {
    return;
  }
  copy_ = Buffer<T>(rows_ * columns_);
  // Blocks of rows small enough that the lines they are spread over stay in the cache.
  constexpr Index block = 256;
  parallel_for(run, block_count(rows_, block), [&](Index b) {
    const IndexRange range = block_range(rows_, block, b);
    for (Index j = 0; j < columns_; ++j) {
      T* const out = copy_.data() + j * rows_;
      for (Index i = range.begin; i < range.end; ++i) {
        out[i] = rows(i, j);
      }
    }
  });
  data_ = copy_.data();
  stride_ = rows_;
}

template <class T>
SparseColumns<T>::SparseColumns(const SparseRows<T>& rows, const Run& run)
    : values_(rows.offsets[rows.rows] - rows.offsets[0]),
      row_numbers_(values_.size()),
      offsets_(rows.columns + 1),
      rows_(rows.rows),
      columns_(rows.columns) {
  std::int64_t* const offsets = offsets_.data();
  std::fill_n(offsets, columns_ + 1, std::int64_t{0});
  for (std::int64_t at = rows.offsets[0]; at < rows.offsets[rows.rows]; ++at) {
    ++offsets[rows.column_numbers[at] + 1];
  }
  for (Index j = 0; j < columns_; ++j) {
    offsets[j + 1] += offsets[j];
  }
  // Filling moves every offset to the end of its column, which is the beginning of the next one.
  for (Index i = 0; i < rows_; ++i) {
    if (i % 1024 == 0) {
      run.check_stop();
    }
    for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
      const std::int64_t to = offsets[rows.column_numbers[at]]++;
      values_.data()[to] = rows.values[at];
      row_numbers_.data()[to] = static_cast<std::uint32_t>(i);
    }
  }
  std::copy_backward(offsets, offsets + columns_, offsets + columns_ + 1);
  offsets[0] = 0;
}

template class DenseColumns<float>;
template class DenseColumns<double>;
template class SparseColumns<float>;
template class SparseColumns<double>;

}  // namespace mercer::linear
