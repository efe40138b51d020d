// Seeded samples and a kernel with a formula of its own, so that Gram matrices can be compared with plain loops.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/matrix.h"
#include "support/largest_difference.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer::gram_test {

using testing::largest_difference;
using testing::random_matrix;
using testing::same_bits;

inline mercer::Run run_on(int threads) { return mercer::Run(RunOptions{.threads = threads, .seed = 5}); }

template <class T>
Matrix<T> converted(const Matrix<double>& x) {
  Matrix<T> y(x.rows(), x.columns());
  for (Index e = 0; e < x.rows() * x.columns(); ++e) {
    y.data()[e] = static_cast<T>(x.data()[e]);
  }
  return y;
}

/// Entries below 0.3 in absolute value become zeros; the samples hold the rest.
inline Samples make_sparse_from(Matrix<double>& x) {
  std::vector<double> values;
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> offsets{0};
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.columns(); ++j) {
      if (std::abs(x(i, j)) < 0.3) {
        x(i, j) = 0;
      } else {
        values.push_back(x(i, j));
        numbers.push_back(static_cast<std::int32_t>(j));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return make_sparse(std::move(values), std::move(numbers), std::move(offsets), x.columns());
}

inline constexpr const char* test_spec = "rbf(gamma=0.2) + 0.3*poly(degree=2, gamma=0.1, coef0=1)";

inline double test_kernel(const Matrix<double>& x, Index i, const Matrix<double>& y, Index j) {
  double squared = 0;
  double product = 0;
  for (Index c = 0; c < x.columns(); ++c) {
    squared += (x(i, c) - y(j, c)) * (x(i, c) - y(j, c));
    product += x(i, c) * y(j, c);
  }
  return std::exp(-0.2 * squared) + 0.3 * (0.1 * product + 1) * (0.1 * product + 1);
}

inline Matrix<double> test_gram(const Matrix<double>& x, const Matrix<double>& y) {
  Matrix<double> k(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < y.rows(); ++j) {
      k(i, j) = test_kernel(x, i, y, j);
    }
  }
  return k;
}

template <class T>
std::shared_ptr<const PreparedKernel> prepare(const char* spec, const Samples& samples) {
  return std::make_shared<const PreparedKernel>(parse_kernel(spec), samples, precision_of<T>, run_on(1));
}

/// Rounding of kernel values of order 1.
template <class T>
double entry_bound() {
  return sizeof(T) == sizeof(float) ? 2e-5 : 1e-12;
}

inline Matrix<double> multiplied(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c = Matrix<double>::filled(a.rows(), b.columns(), 0.0);
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index k = 0; k < a.columns(); ++k) {
      for (Index j = 0; j < b.columns(); ++j) {
        c(i, j) += a(i, k) * b(k, j);
      }
    }
  }
  return c;
}

inline Matrix<double> transposed(const Matrix<double>& a) {
  Matrix<double> b(a.columns(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) {
      b(j, i) = a(i, j);
    }
  }
  return b;
}

inline std::vector<Index> numbers_up_to(Index n) {
  std::vector<Index> all;
  for (Index i = 0; i < n; ++i) {
    all.push_back(i);
  }
  return all;
}

}  // namespace mercer::gram_test
