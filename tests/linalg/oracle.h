// Shared by the linear algebra tests: random matrices; Dense is the independent reference.
#pragma once

#include <algorithm>

#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"
#include "support/dense.h"

namespace mercer::oracle {

template <class T>
Matrix<T> random_matrix(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed, 77);
  Matrix<T> a(rows, columns);
  for (Index i = 0; i < rows * columns; ++i) {
    a.data()[i] = static_cast<T>(random.normal());
  }
  return a;
}

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

template <class T>
bool same_bits(const Matrix<T>& a, const Matrix<T>& b) {
  return a.rows() == b.rows() && a.columns() == b.columns() &&
         std::equal(a.data(), a.data() + a.rows() * a.columns(), b.data());
}

}  // namespace mercer::oracle
