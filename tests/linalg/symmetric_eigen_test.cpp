// Full and leading eigenpairs against Eigen's solver and known spectra.
#include "mercer/linalg/symmetric_eigen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/oracle.h"
#include "mercer/base/error.h"
#include "mercer/linalg/product.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;

template <class T>
void check_full(Index n, double tolerance) {
  auto a = oracle::random_matrix<T>(n, n, 51);
  const Dense full = Dense(a).mirrored_lower();
  for (Index i = 0; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j) {
      a(i, j) = std::numeric_limits<T>::quiet_NaN();
    }
  }
  const auto eigen = symmetric_eigen(a.view(), mercer::Run());
  const Dense reference = full.eigenvalues();
  const double scale = reference.max_abs();
  for (Index i = 0; i < n; ++i) {
    ASSERT_NEAR(eigen.values[i], reference(i), tolerance * scale);
  }
  const Dense v = eigen.vectors;
  const Dense w = eigen.values;
  EXPECT_LE((full * v - v * Dense::with_diagonal(w)).norm(), 10 * tolerance * scale * std::sqrt(double(n)));
  EXPECT_LE((v.transpose() * v - Dense::identity(n)).norm(), 10 * tolerance * std::sqrt(double(n)));
  const auto values = symmetric_eigenvalues(a.view(), mercer::Run());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], eigen.values[i], tolerance * scale);
  }
}

TEST(SymmetricEigen, AgainstEigen) {
  for (const Index n : {1, 2, 3, 50, 211}) {
    check_full<double>(n, 1e-13);
    check_full<float>(n, 1e-5);
  }
  EXPECT_TRUE(symmetric_eigen(ConstMatrixView<double>(), mercer::Run()).values.empty());
}

TEST(SymmetricEigen, RefusesNonFinite) {
  auto a = Matrix<double>::filled(3, 3, 1);
  a(2, 1) = std::nan("");
  EXPECT_ERROR(symmetric_eigen(a.view(), mercer::Run()), NumericalError,
               "the matrix has an entry that is not finite at row 2");
}

template <class T>
BlockOperator<T> multiply_symmetric_by(const Matrix<T>& a) {
  return
      [&a](ConstMatrixView<T> x, MatrixView<T> y) { gemm(T{1}, a.view(), Transpose::no, x, Transpose::no, T{0}, y); };
}

void check_leading(const Dense& spectrum, Index count, SpectrumEnd end) {
  const Index n = spectrum.size();
  const auto a = oracle::with_spectrum<double>(spectrum, 52);
  const auto result =
      leading_eigenpairs<double>(multiply_symmetric_by(a), n, count, {.tolerance = 1e-9, .end = end}, mercer::Run());
  ASSERT_EQ(result.status, SolveStatus::converged);
  std::vector<double> sorted(spectrum.data(), spectrum.data() + n);
  std::sort(sorted.begin(), sorted.end());
  if (end == SpectrumEnd::largest) {
    std::reverse(sorted.begin(), sorted.end());
  }
  const double scale = spectrum.max_abs();
  ASSERT_EQ(static_cast<Index>(result.values.size()), std::min(count, n));
  for (std::size_t j = 0; j < result.values.size(); ++j) {
    EXPECT_NEAR(result.values[j], sorted[j], 1e-8 * scale) << j;
    const Dense v = Dense(result.vectors).column(static_cast<Index>(j));
    const double residual = (Dense(a) * v - result.values[j] * v).norm();
    EXPECT_LE(residual, 2e-9 * scale);
    EXPECT_NEAR(v.norm(), 1, 1e-10);
  }
  const Dense v = result.vectors;
  EXPECT_LE((v.transpose() * v - Dense::identity(v.columns())).norm(), 1e-9);
}

TEST(LeadingEigenpairs, KnownSpectra) {
  Dense decaying(300, 1);
  Dense linear(300, 1);
  Dense multiple(300, 1);
  for (Index i = 0; i < 300; ++i) {
    decaying(i) = std::exp(-0.2 * static_cast<double>(i));
    linear(i) = static_cast<double>(i) - 20;
    multiple(i) = i < 7 ? 5.0 : i < 20 ? 4.0 : 0.0;
  }
  for (const auto& spectrum : {decaying, linear, multiple}) {
    for (const Index count : {1, 6, 20}) {
      check_leading(spectrum, count, SpectrumEnd::largest);
    }
  }
  check_leading(linear, 1, SpectrumEnd::smallest);
  check_leading(linear, 4, SpectrumEnd::smallest);
  check_leading(Dense(40, 1), 3, SpectrumEnd::largest);
  check_leading(Dense(60, 1, 2.0), 3, SpectrumEnd::largest);
}

TEST(LeadingEigenpairs, SmallOrders) {
  for (const Index n : {1, 2, 3, 9}) {
    const Dense spectrum = Dense::evenly_spaced(n, -1, 4);
    check_leading(spectrum, 1, SpectrumEnd::largest);
    check_leading(spectrum, n, SpectrumEnd::smallest);
    check_leading(spectrum, n + 5, SpectrumEnd::largest);
  }
  const auto a = Matrix<double>::filled(4, 4, 1);
  EXPECT_TRUE(leading_eigenpairs<double>(multiply_symmetric_by(a), 4, 0, {}, mercer::Run()).values.empty());
  EXPECT_TRUE(leading_eigenpairs<double>(multiply_symmetric_by(a), 0, 3, {}, mercer::Run()).values.empty());
}

TEST(LeadingEigenpairs, FloatAndThreads) {
  Dense spectrum(500, 1);
  for (Index i = 0; i < 500; ++i) {
    spectrum(i) = 1.0 / static_cast<double>((i + 1) * (i + 1));
  }
  const auto a = oracle::with_spectrum<float>(spectrum, 53);
  std::vector<float> first;
  for (const int threads : {1, 2, 3}) {
    const auto result = leading_eigenpairs<float>(multiply_symmetric_by(a), 500, 5, {.tolerance = 1e-5},
                                                  mercer::Run(RunOptions{.threads = threads, .seed = 4}));
    ASSERT_EQ(result.status, SolveStatus::converged);
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(result.values[j], spectrum(static_cast<Index>(j)), 1e-5);
    }
    first = threads == 1 ? result.values : first;
    EXPECT_EQ(first, result.values);
  }
}

TEST(LeadingEigenpairs, Endings) {
  const auto a = oracle::with_spectrum<double>(Dense::evenly_spaced(400, 0, 1), 54);
  const auto limited = leading_eigenpairs<double>(multiply_symmetric_by(a), 400, 3,
                                                  {.tolerance = 1e-14, .max_products = 2}, mercer::Run());
  EXPECT_EQ(limited.status, SolveStatus::iteration_limit);
  EXPECT_EQ(limited.values.size(), 3U);
  std::stop_source source;
  int products = 0;
  const BlockOperator<double> stopping = [&](ConstMatrixView<double> x, MatrixView<double> y) {
    gemm(1.0, a.view(), Transpose::no, x, Transpose::no, 0.0, y);
    if (++products == 9) {
      source.request_stop();
    }
  };
  const auto stopped = leading_eigenpairs<double>(stopping, 400, 3, {.tolerance = 1e-14},
                                                  mercer::Run(RunOptions{.stop = source.get_token()}));
  EXPECT_EQ(stopped.status, SolveStatus::stopped);
  ASSERT_EQ(stopped.values.size(), 3U);
  const Dense v = Dense(stopped.vectors).column(0);
  EXPECT_NEAR(v.norm(), 1, 1e-10);
  EXPECT_NEAR(v.dot(Dense(a) * v), stopped.values[0], 1e-10);
  EXPECT_ERROR(leading_eigenpairs<double>(multiply_symmetric_by(a), 400, -1, {}, mercer::Run()), InvalidArgument,
               "count = -1");
}

}  // namespace
}  // namespace mercer
