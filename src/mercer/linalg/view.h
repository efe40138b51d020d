// MatrixView: rows, columns, a pointer and the distance between rows. Every matrix of the library is row-major, so
// element (i, j) is data[i * stride + j]. Views do not own memory and are passed by value.
#pragma once

#include <cassert>
#include <span>
#include <type_traits>

#include "mercer/base/index.h"

namespace mercer {

template <class T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, Index rows, Index columns, Index stride)
      : data_(data), rows_(rows), columns_(columns), stride_(stride) {
    assert(rows >= 0 && columns >= 0 && stride >= columns);
  }
  MatrixView(T* data, Index rows, Index columns) : MatrixView(data, rows, columns, columns) {}
  /// A view that may write converts to one that only reads.
  operator MatrixView<const T>() const  // NOLINT(google-explicit-constructor)
    requires(!std::is_const_v<T>)
  {
    return {data_, rows_, columns_, stride_};
  }

  T* data() const { return data_; }
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Index stride() const { return stride_; }
  bool empty() const { return rows_ == 0 || columns_ == 0; }

  T& operator()(Index i, Index j) const {
    assert(i >= 0 && i < rows_ && j >= 0 && j < columns_);
    return data_[i * stride_ + j];
  }
  T* row_data(Index i) const { return data_ + i * stride_; }
  std::span<T> row(Index i) const { return {row_data(i), static_cast<std::size_t>(columns_)}; }

  MatrixView block(Index row, Index column, Index rows, Index columns) const {
    assert(row >= 0 && column >= 0 && row + rows <= rows_ && column + columns <= columns_);
    return {data_ + row * stride_ + column, rows, columns, stride_};
  }
  MatrixView block(IndexRange rows, IndexRange columns) const {
    return block(rows.begin, columns.begin, rows.size(), columns.size());
  }
  MatrixView row_block(IndexRange rows) const { return block(rows.begin, 0, rows.size(), columns_); }

 private:
  T* data_ = nullptr;
  Index rows_ = 0;
  Index columns_ = 0;
  Index stride_ = 0;
};

template <class T>
using ConstMatrixView = MatrixView<const T>;

/// For arguments of templates whose T another argument gives, so that a MatrixView or a plain number converts.
template <class T>
using ConstMatrixViewOf = MatrixView<const std::type_identity_t<T>>;

}  // namespace mercer
