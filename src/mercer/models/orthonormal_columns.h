// A = QR of few columns, by Gram-Schmidt, twice: bases of functions on some of the rows, or on weighted ones, which may have made
// columns nearly parallel.
#pragma once

#include "mercer/linalg/matrix.h"

namespace mercer {

struct OrthonormalColumns {
  Matrix<double> q;  ///< as A
  Matrix<double> r;  ///< upper triangle
  /// The least share of a column's size that is left of it beside those before; 1 without columns. Where it is 0, its column of Q
  /// is 0.
  double least_rest = 1;
};

OrthonormalColumns orthonormal_columns(ConstMatrixView<double> a);

}  // namespace mercer
