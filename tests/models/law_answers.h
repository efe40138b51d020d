// Answers of models as laws over the registry compare them.
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"

namespace mercer::testing {

inline double largest(const Matrix<double>& values) {
  double size = 0;
  for (Index i = 0; i < values.rows() * values.columns(); ++i) {
    size = std::max(size, std::abs(values.data()[i]));
  }
  return size;
}

/// Of features, which may turn and change their signs: where eigenvalues are close, or with ln c as those of chi2map do.
inline Matrix<double> inner_products(const Matrix<double>& features) {
  Matrix<double> products(features.rows(), features.rows());
  for (Index i = 0; i < features.rows(); ++i) {
    for (Index j = 0; j < features.rows(); ++j) {
      products(i, j) = dot(features.view().row(i), features.view().row(j));
    }
  }
  return products;
}

}  // namespace mercer::testing
