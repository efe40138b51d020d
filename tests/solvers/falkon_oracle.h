// Oracles for Nyström least squares: kernel values one by one, and the least-squares problem itself by Householder
// reflections in long double, so that nothing is squared.
#pragma once

#include <cmath>
#include <vector>

#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/matrix.h"

namespace mercer::testing {

inline Matrix<double> kernel_values(const Kernel& kernel, const Samples& x, const Samples& landmarks) {
  const auto prepared =
      std::make_shared<const PreparedKernel>(kernel, landmarks, Precision::double_precision, mercer::Run());
  const CrossGram<double> cross(prepared, x, mercer::Run());
  Matrix<double> k(x.size(), landmarks.size());
  cross.evaluate(k.view(), mercer::Run());
  return k;
}

using LongRows = std::vector<std::vector<long double>>;

/// The x that minimises |A x − b|, A with independent columns.
inline std::vector<long double> least_squares(LongRows a, std::vector<long double> b) {
  const std::size_t n = a.size();
  const std::size_t m = a.front().size();
  for (std::size_t j = 0; j < m; ++j) {
    long double norm = 0;
    for (std::size_t i = j; i < n; ++i) {
      norm += a[i][j] * a[i][j];
    }
    norm = std::sqrt(norm) * (a[j][j] > 0 ? -1 : 1);
    std::vector<long double> v(n, 0);
    for (std::size_t i = j; i < n; ++i) {
      v[i] = a[i][j];
    }
    v[j] -= norm;
    long double square = 0;
    for (std::size_t i = j; i < n; ++i) {
      square += v[i] * v[i];
    }
    if (square == 0) {
      continue;
    }
    const auto reflect = [&](auto&& entry) {
      long double inner = 0;
      for (std::size_t i = j; i < n; ++i) {
        inner += v[i] * entry(i);
      }
      for (std::size_t i = j; i < n; ++i) {
        entry(i) -= 2 * inner / square * v[i];
      }
    };
    for (std::size_t c = j; c < m; ++c) {
      reflect([&](std::size_t i) -> long double& { return a[i][c]; });
    }
    reflect([&](std::size_t i) -> long double& { return b[i]; });
  }
  std::vector<long double> x(m);
  for (std::size_t j = m; j-- > 0;) {
    long double sum = b[j];
    for (std::size_t c = j + 1; c < m; ++c) {
      sum -= a[j][c] * x[c];
    }
    x[j] = sum / a[j][j];
  }
  return x;
}

/// Predictions K a + b of min Σ w (y − Ka − b)² + λ aᵀ(K_MM + shift)a, one output.
inline std::vector<double> exact_nystrom(const Matrix<double>& k, const Matrix<double>& landmark_gram, double shift,
                                         std::span<const double> y, std::span<const double> weights, double lambda,
                                         bool offset) {
  const auto n = static_cast<std::size_t>(k.rows());
  const auto m = static_cast<std::size_t>(k.columns());
  // K_MM + shift = R Rᵀ, R lower triangular, in long double.
  LongRows r(m, std::vector<long double>(m, 0));
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      long double sum = landmark_gram(static_cast<Index>(i), static_cast<Index>(j)) + (i == j ? shift : 0.0);
      for (std::size_t c = 0; c < j; ++c) {
        sum -= r[i][c] * r[j][c];
      }
      r[i][j] = i == j ? std::sqrt(sum) : sum / r[j][j];
    }
  }
  const std::size_t columns = m + (offset ? 1 : 0);
  LongRows a(n + m, std::vector<long double>(columns, 0));
  std::vector<long double> b(n + m, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const long double root = std::sqrt(static_cast<long double>(weights[i]));
    for (std::size_t j = 0; j < m; ++j) {
      a[i][j] = root * k(static_cast<Index>(i), static_cast<Index>(j));
    }
    if (offset) {
      a[i][m] = root;
    }
    b[i] = root * y[i];
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = i; j < m; ++j) {
      a[n + i][j] = std::sqrt(static_cast<long double>(lambda)) * r[j][i];
    }
  }
  const std::vector<long double> x = least_squares(std::move(a), std::move(b));
  std::vector<double> f(n);
  for (std::size_t i = 0; i < n; ++i) {
    long double sum = offset ? x[m] : 0;
    for (std::size_t j = 0; j < m; ++j) {
      sum += k(static_cast<Index>(i), static_cast<Index>(j)) * x[j];
    }
    f[i] = static_cast<double>(sum);
  }
  return f;
}

}  // namespace mercer::testing
