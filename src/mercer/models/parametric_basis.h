// An orthonormal basis of the parametric functions on the samples: T = Q R, T = [1 X] for linear ones. Kernels that are only conditionally
// positive are positive on what is orthogonal to T.
#pragma once

#include "mercer/data/samples.h"
#include "mercer/expansion/expansion.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class ParametricBasis {
 public:
  /// n × functions numbers. Functions that depend on others get coefficient 0.
  ParametricBasis(const Samples& samples, ParametricPart part);

  /// n × q with orthonormal columns; q = 0 without a parametric part.
  ConstMatrixView<double> q() const { return q_.view(); }
  /// The coefficients β of the functions (parametric_functions) with Tβ = Qγ.
  Matrix<double> parametric_coefficients(ConstMatrixView<double> gamma) const;

 private:
  Matrix<double> q_;
  Matrix<double> r_;  // q × q, upper triangle
  std::vector<Index> columns_;
  std::vector<double> means_;  // of the functions after the constant: the basis is built on centred ones
  Index parametric_rows_ = 0;
};

}  // namespace mercer
