// Columns of samples, for descent along single weights: dense ones are stored column by column, sparse ones as pairs of
// row number and value. One copy of the data in its own precision, unless dense samples lie by columns already.
#pragma once

#include <cstdint>

#include "mercer/base/buffer.h"
#include "mercer/base/run.h"
#include "mercer/data/samples.h"

namespace mercer::linear {

template <class T>
class DenseColumns {
 public:
  explicit DenseColumns(const DenseRows<T>& rows, const Run& run);
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }

  /// Calls visit(row, value) for every row, in order.
  template <class Visit>
  void for_each(Index column, Visit&& visit) const {
    const T* const x = data_ + column * stride_;
    for (Index i = 0; i < rows_; ++i) {
      visit(i, static_cast<double>(x[i]));
    }
  }

 private:
  Buffer<T> copy_;
  const T* data_ = nullptr;
  Index rows_ = 0;
  Index columns_ = 0;
  Index stride_ = 0;
};

template <class T>
class SparseColumns {
 public:
  explicit SparseColumns(const SparseRows<T>& rows, const Run& run);
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }

  /// Calls visit(row, value) for every stored value, in the order of rows.
  template <class Visit>
  void for_each(Index column, Visit&& visit) const {
    const std::int64_t* const offset = offsets_.data() + column;
    for (std::int64_t at = offset[0]; at < offset[1]; ++at) {
      visit(static_cast<Index>(row_numbers_.data()[at]), static_cast<double>(values_.data()[at]));
    }
  }

 private:
  Buffer<T> values_;
  Buffer<std::uint32_t> row_numbers_;
  Buffer<std::int64_t> offsets_;
  Index rows_ = 0;
  Index columns_ = 0;
};

}  // namespace mercer::linear
