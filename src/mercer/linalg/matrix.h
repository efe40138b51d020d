// Matrix: a row-major matrix that owns its (uninitialised, aligned) memory; everything computes on its view().
#pragma once

#include <algorithm>

#include "mercer/base/buffer.h"
#include "mercer/linalg/view.h"

namespace mercer {

template <class T>
class Matrix {
 public:
  Matrix() = default;
  /// Elements are not initialised; use filled() for that.
  Matrix(Index rows, Index columns) : buffer_(rows * columns), rows_(rows), columns_(columns) {}

  static Matrix filled(Index rows, Index columns, T value) {
    Matrix matrix(rows, columns);
    std::fill_n(matrix.data(), rows * columns, value);
    return matrix;
  }
  static Matrix copy_of(ConstMatrixView<T> source) {
    Matrix matrix(source.rows(), source.columns());
    for (Index i = 0; i < source.rows(); ++i) {
      std::copy_n(source.row_data(i), source.columns(), matrix.data() + i * source.columns());
    }
    return matrix;
  }

  MatrixView<T> view() { return {buffer_.data(), rows_, columns_}; }
  ConstMatrixView<T> view() const { return {buffer_.data(), rows_, columns_}; }
  T* data() { return buffer_.data(); }
  const T* data() const { return buffer_.data(); }
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  T& operator()(Index i, Index j) { return buffer_.data()[i * columns_ + j]; }
  const T& operator()(Index i, Index j) const { return buffer_.data()[i * columns_ + j]; }

 private:
  Buffer<T> buffer_;
  Index rows_ = 0;
  Index columns_ = 0;
};

}  // namespace mercer
