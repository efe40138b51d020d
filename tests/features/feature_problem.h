// Random samples and stored Gram matrices for the tests of features/.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/matrix.h"
#include "support/dense.h"
#include "support/random_matrix.h"

namespace mercer::feature_test {

using oracle::Dense;
using testing::random_matrix;

/// K on the fly.
inline std::shared_ptr<const KernelGram<double>> gram_of(const char* kernel, const Matrix<double>& x) {
  return std::make_shared<const KernelGram<double>>(std::make_shared<const PreparedKernel>(
      parse_kernel(kernel), make_dense(Matrix<double>::copy_of(x.view())), Precision::double_precision, mercer::Run()));
}

inline Dense stored(const Gram<double>& gram) {
  Matrix<double> k(gram.size(), gram.size());
  gram.tile({0, gram.size()}, {0, gram.size()}, k.view());
  return Dense(k.view());
}

/// Rows repeated as often as their (whole) weights say.
inline Matrix<double> repeated(const Matrix<double>& x, const std::vector<double>& weights) {
  std::vector<double> values;
  for (Index i = 0; i < x.rows(); ++i) {
    for (int w = 0; w < static_cast<int>(weights[i]); ++w) {
      values.insert(values.end(), x.view().row(i).begin(), x.view().row(i).end());
    }
  }
  Matrix<double> result(static_cast<Index>(values.size()) / x.columns(), x.columns());
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

inline double variance_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) {
    mean += value / static_cast<double>(values.size());
  }
  double variance = 0;
  for (const double value : values) {
    variance += (value - mean) * (value - mean) / static_cast<double>(values.size());
  }
  return variance;
}

}  // namespace mercer::feature_test
