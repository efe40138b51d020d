// Shared by the linear algebra tests: random matrices; Dense is the independent reference.
#pragma once

#include <algorithm>

#include "mercer/linalg/matrix.h"
#include "support/dense.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer::oracle {

using testing::random_matrix;
using testing::same_bits;

/// Q diag(values) Q' for a random orthogonal Q.
template <class T>
Matrix<T> with_spectrum(const Dense& values, std::uint64_t seed) {
  const Index n = values.size();
  const Dense q = Dense(random_matrix<double>(n, n, seed)).orthogonal_factor();
  const Dense a = q * Dense::with_diagonal(values) * q.transpose();
  Matrix<T> out(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      out(i, j) = static_cast<T>((a(i, j) + a(j, i)) / 2);
    }
  }
  return out;
}

/// G G'/n + shift I.
template <class T>
Matrix<T> random_positive(Index n, double shift, std::uint64_t seed) {
  const auto g = Dense(random_matrix<double>(n, n, seed));
  const Dense a = g * g.transpose() / static_cast<double>(std::max<Index>(n, 1)) + shift * Dense::identity(n);
  Matrix<T> out(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      out(i, j) = static_cast<T>(a(i, j));
    }
  }
  return out;
}

}  // namespace mercer::oracle
