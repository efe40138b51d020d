// Stochastic Lanczos quadrature against sums of logarithms of eigenvalues.
#include "mercer/linalg/trace_logarithm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;

// 1 + a random symmetric matrix of spectral norm about `size`.
Dense near_identity(Index n, double size) {
  RandomStream random(3, 4);
  Dense a(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      a(i, j) = a(j, i) = size * random.normal() / (2 * std::sqrt(static_cast<double>(n)));
    }
    a(i, i) += 1;
  }
  return a;
}

TraceEstimate estimate(const Dense& a, const TraceLogarithmOptions& options) {
  const auto multiply = [&](ConstMatrixView<double> v, MatrixView<double> out) {
    const Dense product = a * Dense(v);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.columns(); ++j) {
        out(i, j) = product(i, j);
      }
    }
  };
  return trace_of_logarithm(multiply, a.rows(), options, mercer::Run());
}

TEST(TraceLogarithm, IsWithinItsErrorOfTheEigenvalues) {
  for (const double size : {0.01, 0.3, 0.8}) {
    const Dense a = near_identity(120, size);
    double exact = 0;
    const Dense values = a.eigenvalues();
    for (Index i = 0; i < values.size(); ++i) {
      exact += std::log(values(i));
    }
    const TraceEstimate found = estimate(a, {.probes = 16, .tolerance = 1e-9});
    // Five standard errors; off the diagonal ln A has the size of A − 1, which bounds the error of a probe.
    EXPECT_NEAR(found.value, exact, 5 * found.standard_error) << size;
    EXPECT_LT(found.standard_error, 2 * size * std::sqrt(120.0 / 16)) << size;
  }
}

TEST(TraceLogarithm, DiagonalsAreExact) {
  Dense a = Dense::identity(50);
  EXPECT_NEAR(estimate(a, {}).value, 0, 1e-12);
  double exact = 0;
  for (Index i = 0; i < 50; ++i) {
    a(i, i) = 1 + 0.1 * static_cast<double>(i % 7);
    exact += std::log(a(i, i));
  }
  const TraceEstimate found = estimate(a, {.tolerance = 0});
  EXPECT_LE(found.steps, 10);  // seven different eigenvalues
  EXPECT_NEAR(found.value, exact, 1e-10 * exact);
  EXPECT_EQ(trace_of_logarithm([](ConstMatrixView<double>, MatrixView<double>) {}, 0, {}, mercer::Run()).value, 0);
  EXPECT_ERROR(estimate(a, {.probes = 1}), InvalidArgument, "probes = 1");
  EXPECT_ERROR(estimate(a, {.max_steps = 0}), InvalidArgument, "max_steps = 0");
}

}  // namespace
}  // namespace mercer
