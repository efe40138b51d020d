// Shared by the linear algebra tests: random matrices and Eigen as the independent reference.
#pragma once

#include <Eigen/Dense>

#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"

namespace mercer::oracle {

template <class T>
using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Dense<T> eigen_copy(ConstMatrixView<T> a) {
  Dense<T> copy(a.rows(), a.columns());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) {
      copy(i, j) = a(i, j);
    }
  }
  return copy;
}
template <class T>
Dense<T> eigen_copy(const Matrix<T>& a) {
  return eigen_copy<T>(a.view());
}

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
Matrix<T> with_spectrum(const Eigen::VectorXd& values, std::uint64_t seed) {
  const Index n = values.size();
  const Eigen::MatrixXd q =
      Eigen::HouseholderQR<Eigen::MatrixXd>(eigen_copy(random_matrix<double>(n, n, seed))).householderQ();
  const Eigen::MatrixXd a = q * values.asDiagonal() * q.transpose();
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
  const auto g = eigen_copy(random_matrix<double>(n, n, seed));
  const Eigen::MatrixXd a = g * g.transpose() / std::max<Index>(n, 1) + shift * Eigen::MatrixXd::Identity(n, n);
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
