// Cholesky against Eigen's LLT and against its definition; failures, sizes around the tiles, thread counts, stopping.
#include "mercer/linalg/cholesky.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/oracle.h"
#include "mercer/base/error.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;

template <class T>
class CholeskyTest : public ::testing::Test {
 protected:
  static constexpr double tolerance = sizeof(T) == 8 ? 1e-11 : 2e-3;
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CholeskyTest, Precisions);

TYPED_TEST(CholeskyTest, FactorSolveInvertDeterminant) {
  using T = TypeParam;
  for (const Index n :
       {Index{0}, Index{1}, Index{2}, Index{17}, Index{255}, Index{256}, Index{257}, Index{700}, Index{1100}}) {
    const auto a = oracle::random_positive<T>(n, 0.5, 21);
    auto l = Matrix<T>::copy_of(a.view());
    for (Index i = 0; i < n; ++i) {
      for (Index j = i + 1; j < n; ++j) {
        l(i, j) = std::numeric_limits<T>::quiet_NaN();  // never read
      }
    }
    const mercer::Run run(RunOptions{.threads = 2});
    cholesky(l.view(), run);
    if (n == 0) {
      EXPECT_EQ(log_determinant(ConstMatrixView<T>(l.view())), 0);
      cholesky_inverse(l.view(), run);
      continue;
    }
    const Dense reference = a;
    const Dense truth = reference.cholesky();
    const Dense ours = Dense(l).lower_triangle();
    EXPECT_LE((ours - truth).norm(), TestFixture::tolerance * truth.norm()) << n;
    EXPECT_NEAR(log_determinant(ConstMatrixView<T>(l.view())), reference.log_determinant(),
                TestFixture::tolerance * static_cast<double>(n));
    const auto b = oracle::random_matrix<T>(n, 4, 22);
    auto x = Matrix<T>::copy_of(b.view());
    cholesky_solve(ConstMatrixView<T>(l.view()), x.view(), run);
    const Dense solution = reference.solve_positive(b);
    EXPECT_LE((Dense(x) - solution).norm(), TestFixture::tolerance * solution.norm());
    std::vector<T> column(n);
    for (Index i = 0; i < n; ++i) {
      column[i] = b(i, 1);
    }
    cholesky_solve(ConstMatrixView<T>(l.view()), std::span<T>(column), run);
    for (Index i = 0; i < n; ++i) {
      ASSERT_NEAR(column[i], solution(i, 1), TestFixture::tolerance * solution.norm());
    }
    cholesky_inverse(l.view(), run);
    const Dense inverse = reference.inverse();
    double error = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) {
        error = std::max(error, std::abs(static_cast<double>(l(i, j)) - inverse(i, j)));
      }
      for (Index j = i + 1; j < n; ++j) {
        ASSERT_TRUE(std::isnan(l(i, j)));  // never written
      }
    }
    EXPECT_LE(error, TestFixture::tolerance * inverse.norm()) << n;
  }
}

TYPED_TEST(CholeskyTest, SameBitsForAnyThreads) {
  using T = TypeParam;
  const auto a = oracle::random_positive<T>(1300, 0.5, 23);
  Matrix<T> first_factor;
  Matrix<T> first_inverse;
  for (const int threads : {1, 2, 3}) {
    const mercer::Run run(RunOptions{.threads = threads});
    auto l = Matrix<T>::copy_of(a.view());
    cholesky(l.view(), run);
    auto inverse = Matrix<T>::copy_of(l.view());
    cholesky_inverse(inverse.view(), run);
    if (threads == 1) {
      first_factor = std::move(l);
      first_inverse = std::move(inverse);
    } else {
      EXPECT_TRUE(oracle::same_bits(first_factor, l));
      EXPECT_TRUE(oracle::same_bits(first_inverse, inverse));
    }
  }
}

TYPED_TEST(CholeskyTest, ReportsTheFailingPivot) {
  using T = TypeParam;
  const mercer::Run run(RunOptions{.threads = 2});
  for (const Index bad : {Index{0}, Index{5}, Index{255}, Index{256}, Index{600}}) {
    for (const T value : {T(-1), T(0), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
      auto a = Matrix<T>::filled(700, 700, T(0));
      for (Index i = 0; i < 700; ++i) {
        a(i, i) = i == bad ? value : T(1);
      }
      const CholeskyStatus status = try_cholesky(a.view(), run);
      EXPECT_FALSE(status.ok);
      EXPECT_EQ(status.failed_at, bad) << value;
    }
  }
  auto singular = Matrix<T>::filled(3, 3, T(1));
  EXPECT_ERROR(cholesky(singular.view(), run), NumericalError, "row 1");
}

TEST(Cholesky, WorksOnAStridedView) {
  auto big = oracle::random_positive<double>(300, 1, 24);
  const auto view = big.view().block(3, 3, 280, 280);
  const Dense a(view);
  const auto before = Matrix<double>::copy_of(big.view());
  cholesky(view, mercer::Run());
  const Dense l = Dense(view).lower_triangle();
  EXPECT_LE((l * l.transpose() - a).norm(), 1e-12 * a.norm());
  EXPECT_EQ(big(2, 2), before(2, 2));
  EXPECT_EQ(big(283, 10), before(283, 10));
}

TEST(Cholesky, Stops) {
  std::stop_source source;
  source.request_stop();
  const mercer::Run run(RunOptions{.threads = 2, .stop = source.get_token()});
  auto a = oracle::random_positive<double>(300, 1, 25);
  EXPECT_ERROR(cholesky(a.view(), run), Stopped, "stopped on request");
}

}  // namespace
}  // namespace mercer
