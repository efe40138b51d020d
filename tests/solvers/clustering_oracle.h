// Small clustering problems, and the plain arithmetic that solvers of them are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/matrix.h"

namespace mercer::testing {

/// `clouds` clouds on a circle of the given radius, of variance 1, in turns.
inline Matrix<double> cloud_points(Index rows, int clouds, double radius, std::uint64_t seed) {
  RandomStream random(seed, 501);
  Matrix<double> x(rows, 2);
  for (Index i = 0; i < rows; ++i) {
    const double angle = 6.283185307179586 * static_cast<double>(i % clouds) / clouds;
    x(i, 0) = radius * std::cos(angle) + random.normal();
    x(i, 1) = radius * std::sin(angle) + random.normal();
  }
  return x;
}

inline double squared_apart(const Matrix<double>& x, Index i, Index j) {
  double sum = 0;
  for (Index c = 0; c < x.columns(); ++c) {
    sum += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
  }
  return sum;
}

inline Matrix<double> linear_matrix(const Matrix<double>& x) {
  Matrix<double> k(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      k(i, j) = 0;
      for (Index c = 0; c < x.columns(); ++c) {
        k(i, j) += x(i, c) * x(j, c);
      }
    }
  }
  return k;
}

inline Matrix<double> rbf_matrix(const Matrix<double>& x, double gamma) {
  Matrix<double> k(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      k(i, j) = std::exp(-gamma * squared_apart(x, i, j));
    }
  }
  return k;
}

/// J of k-means from pairs: Σ_c Σ_{i,j∈c} w_i w_j d²_ij / (2 W_c).
inline double pair_inertia(const Matrix<double>& k, const std::vector<Index>& assignment, Index clusters,
                           const std::vector<double>& weights) {
  std::vector<double> totals(clusters, 0.0);
  std::vector<double> sums(clusters, 0.0);
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    totals[assignment[i]] += weights[i];
    for (std::size_t j = 0; j < assignment.size(); ++j) {
      if (assignment[i] == assignment[j]) {
        const auto a = static_cast<Index>(i);
        const auto b = static_cast<Index>(j);
        sums[assignment[i]] += weights[i] * weights[j] * (k(a, a) + k(b, b) - 2 * k(a, b));
      }
    }
  }
  double inertia = 0;
  for (std::size_t c = 0; c < totals.size(); ++c) {
    inertia += totals[c] > 0 ? sums[c] / (2 * totals[c]) : 0.0;
  }
  return inertia;
}

/// The rows, each as often as its weight says, one after the other.
inline Matrix<double> repeated_rows(const Matrix<double>& x, const std::vector<double>& weights) {
  std::vector<Index> list;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    list.insert(list.end(), static_cast<std::size_t>(weights[i]), static_cast<Index>(i));
  }
  Matrix<double> result(static_cast<Index>(list.size()), x.columns());
  for (std::size_t a = 0; a < list.size(); ++a) {
    for (Index c = 0; c < x.columns(); ++c) {
      result(static_cast<Index>(a), c) = x(list[a], c);
    }
  }
  return result;
}

}  // namespace mercer::testing
