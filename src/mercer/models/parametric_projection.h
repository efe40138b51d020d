// What is left of a kernel matrix beside a parametric part: with Q an orthonormal basis of that part,
//
//   K  →  (I − QQᵀ) K (I − QQᵀ) + s QQᵀ
//
// is positive where K is conditionally so, and leaves alone what is orthogonal to Q.
#pragma once

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Where the eigenvalue s of the basis lies: among the others (their mean: a well-conditioned matrix to factor), or
/// below them all (minus their mean: the first eigenvectors are the basis).
enum class PositionOfBasis { inside, below };

struct Projection {
  Matrix<double> kernel_times_basis;  ///< KQ of the old K
  double basis_value = 0;             ///< s
};

/// Replaces K (square, lower triangle, tiles on the diagonal whole). 6 n² q flops for q functions.
template <class T>
Projection project_out(MatrixView<T> k, ConstMatrixView<double> q, PositionOfBasis position, const Run& run);

/// A copy with numbers of another type.
template <class To, class From>
Matrix<To> converted(ConstMatrixView<From> source) {
  Matrix<To> result(source.rows(), source.columns());
  for (Index i = 0; i < source.rows(); ++i) {
    for (Index j = 0; j < source.columns(); ++j) {
      result(i, j) = static_cast<To>(source(i, j));
    }
  }
  return result;
}

/// aᵀb of tall matrices with few columns.
Matrix<double> inner(ConstMatrixView<double> a, ConstMatrixView<double> b);

}  // namespace mercer
