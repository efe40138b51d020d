// An orthonormal basis of the parametric functions on the samples: T = [1 X] = Q R. Kernels that are only conditionally
// positive are positive on what is orthogonal to T.
#pragma once

#include "mercer/data/samples.h"
#include "mercer/expansion/expansion.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class ParametricBasis {
 public:
  /// n × (1 + d) numbers for a linear part. Columns that depend on others get coefficient 0.
  ParametricBasis(const Samples& samples, ParametricPart part);

  /// n × q with orthonormal columns; q = 0 without a parametric part.
  ConstMatrixView<double> q() const { return q_.view(); }
  /// The coefficients β of 1, x_1, … x_d with Tβ = Qγ.
  Matrix<double> parametric_coefficients(ConstMatrixView<double> gamma) const;

 private:
  Matrix<double> q_;
  Matrix<double> r_;  // q × q, upper triangle
  std::vector<Index> columns_;
  std::vector<double> means_;  // of x_1 … x_d: the basis is built on centred columns
  Index parametric_rows_ = 0;
};

}  // namespace mercer
