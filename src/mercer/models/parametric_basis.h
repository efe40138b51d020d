// An orthonormal basis of the parametric functions on the samples: T = Q R, T = [1 X] for linear ones. Kernels that are only
// conditionally positive are positive on what is orthogonal to T.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/expansion/expansion.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class ParametricBasis {
 public:
  /// n × functions numbers. Functions that depend on others get coefficient 0.
  ParametricBasis(const Samples& samples, const ParametricPart& part);

  /// n × q with orthonormal columns; q = 0 without a parametric part.
  ConstMatrixView<double> q() const { return q_.view(); }
  /// How many functions there are, those that depend on others included.
  Index functions() const { return parametric_rows_; }
  /// A sentence on how many depend on others on the samples; empty where none does.
  std::string dependence() const;
  /// How much of the functions' digits their differences lose: the largest |mean| of a function on the samples in units of
  /// its deviation, those that are constant left out.
  double farthest_mean() const { return farthest_mean_; }
  /// The coefficients β of the functions (parametric_functions) with Tβ = Qγ.
  Matrix<double> parametric_coefficients(ConstMatrixView<double> gamma) const;

 private:
  Matrix<double> q_;
  Matrix<double> r_;  // q × q, upper triangle
  std::vector<Index> columns_;
  std::vector<double> means_;   // of the functions after the constant: the basis is built on centred ones
  std::vector<double> scales_;  // of the functions, powers of two
  double farthest_mean_ = 0;
  Index parametric_rows_ = 0;
};

}  // namespace mercer
