// How far two matrices are apart.
#pragma once

#include <cmath>

#include "mercer/linalg/matrix.h"

namespace mercer::testing {

/// The largest |a_ij - b_ij|; NaN where one has it, infinite where the shapes differ.
template <class T>
double largest_difference(const Matrix<T>& a, const Matrix<double>& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns()) {
    return INFINITY;
  }
  double largest = 0;
  for (Index e = 0; e < a.rows() * a.columns(); ++e) {
    const double difference = std::abs(static_cast<double>(a.data()[e]) - b.data()[e]);
    largest = difference <= largest ? largest : difference;  // NaN stays
  }
  return largest;
}

}  // namespace mercer::testing
