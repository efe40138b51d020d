// Conjugate gradients: the worked example, random systems against Eigen, several columns, preconditioning, endings.
#include "mercer/linalg/conjugate_gradient.h"

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
BlockOperator<T> multiply_by(const Matrix<T>& a) {
  return
      [&a](ConstMatrixView<T> x, MatrixView<T> y) { gemm(T{1}, a.view(), Transpose::no, x, Transpose::no, T{0}, y); };
}

TEST(ConjugateGradient, WorkedExampleInThreeSteps) {
  Matrix<double> k(3, 3);
  const double entries[] = {4, 1, 0, 1, 3, 1, 0, 1, 2};
  std::copy_n(entries, 9, k.data());
  Matrix<double> c(3, 1);
  c(0, 0) = 1;
  c(1, 0) = 2;
  c(2, 0) = 3;
  auto x = Matrix<double>::filled(3, 1, 0);
  const auto result = conjugate_gradient(multiply_by(k), c.view(), x.view(), {.tolerance = 1e-12}, mercer::Run());
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_NEAR(x(0, 0), 2.0 / 9, 1e-13);
  EXPECT_NEAR(x(1, 0), 1.0 / 9, 1e-13);
  EXPECT_NEAR(x(2, 0), 13.0 / 9, 1e-13);
}

TEST(ConjugateGradient, SeveralColumnsAgainstEigen) {
  for (const Index n : {Index{1}, Index{2}, Index{40}, Index{151}}) {
    const auto a = oracle::random_positive<double>(n, 0.1, 31);
    auto b = oracle::random_matrix<double>(n, 5, 32);
    for (Index i = 0; i < n; ++i) {
      b(i, 2) = 0;                 // solved at once
      b(i, 3) = 1e-200 * b(i, 4);  // scale must not matter
    }
    auto x = Matrix<double>::filled(n, 5, 0);
    const auto result = conjugate_gradient(multiply_by(a), b.view(), x.view(), {.tolerance = 1e-10}, mercer::Run());
    EXPECT_EQ(result.status, SolveStatus::converged) << n;
    const Dense solution = Dense(a).solve_positive(b);
    for (Index j = 0; j < 5; ++j) {
      EXPECT_LE((Dense(x).column(j) - solution.column(j)).norm(), 1e-8 * solution.column(j).norm()) << j;
      const double residual = (Dense(b).column(j) - Dense(a) * Dense(x).column(j)).norm();
      EXPECT_LE(residual, 1.01e-10 * Dense(b).column(j).norm());
      EXPECT_LE(result.relative_residuals[j], 1e-10);
    }
  }
}

TEST(ConjugateGradient, ColumnsDoNotInfluenceEachOther) {
  const auto a = oracle::random_positive<double>(60, 0.1, 33);
  const auto b = oracle::random_matrix<double>(60, 3, 34);
  auto together = Matrix<double>::filled(60, 3, 0);
  conjugate_gradient(multiply_by(a), b.view(), together.view(), {.tolerance = 1e-12}, mercer::Run());
  for (Index j = 0; j < 3; ++j) {
    auto x = Matrix<double>::filled(60, 1, 0);
    const auto column = Matrix<double>::copy_of(b.view().block(0, j, 60, 1));
    conjugate_gradient(multiply_by(a), column.view(), x.view(), {.tolerance = 1e-12}, mercer::Run());
    EXPECT_LE((Dense(together).column(j) - Dense(x)).norm(), 1e-10 * Dense(x).norm());
  }
}

TEST(ConjugateGradient, PreconditionerSavesIterations) {
  Dense values(200, 1);
  for (Index i = 0; i < 200; ++i) {
    values(i) = std::pow(10.0, 4.0 * static_cast<double>(i) / 199);
  }
  auto a = Matrix<double>::filled(200, 200, 0);
  const auto noise = oracle::random_positive<double>(200, 0, 35);
  for (Index i = 0; i < 200; ++i) {
    for (Index j = 0; j < 200; ++j) {
      a(i, j) = 0.1 * noise(i, j) + (i == j ? values(i) : 0.0);
    }
  }
  const auto b = oracle::random_matrix<double>(200, 2, 36);
  auto plain = Matrix<double>::filled(200, 2, 0);
  auto better = Matrix<double>::filled(200, 2, 0);
  const ConjugateGradientOptions options{.tolerance = 1e-9, .max_iterations = 5000};
  const auto without = conjugate_gradient(multiply_by(a), b.view(), plain.view(), options, mercer::Run());
  const BlockOperator<double> jacobi = [&](ConstMatrixView<double> x, MatrixView<double> y) {
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < x.columns(); ++j) {
        y(i, j) = x(i, j) / a(i, i);
      }
    }
  };
  const auto with = conjugate_gradient(multiply_by(a), b.view(), better.view(), options, mercer::Run(), jacobi);
  EXPECT_EQ(without.status, SolveStatus::converged);
  EXPECT_EQ(with.status, SolveStatus::converged);
  EXPECT_LT(3 * with.iterations, without.iterations);
}

TEST(ConjugateGradient, StartsFromTheGuess) {
  const auto a = oracle::random_positive<double>(30, 1, 37);
  auto x = oracle::random_matrix<double>(30, 1, 38);
  Matrix<double> b(30, 1);
  gemm(1.0, a.view(), Transpose::no, x.view(), Transpose::no, 0.0, b.view());
  const auto result = conjugate_gradient(multiply_by(a), b.view(), x.view(), {}, mercer::Run());
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.status, SolveStatus::converged);
}

TEST(ConjugateGradient, Endings) {
  const auto a = oracle::random_positive<double>(80, 1e-4, 39);
  const auto b = oracle::random_matrix<double>(80, 2, 40);
  auto x = Matrix<double>::filled(80, 2, 0);
  const auto limited =
      conjugate_gradient(multiply_by(a), b.view(), x.view(), {.tolerance = 1e-12, .max_iterations = 3}, mercer::Run());
  EXPECT_EQ(limited.status, SolveStatus::iteration_limit);
  EXPECT_EQ(limited.iterations, 3);
  EXPECT_GT(limited.relative_residuals[0], 1e-12);

  // Below what rounding allows.
  x = Matrix<double>::filled(80, 2, 0);
  const auto exact =
      conjugate_gradient(multiply_by(a), b.view(), x.view(), {.tolerance = 0, .max_iterations = 100000}, mercer::Run());
  EXPECT_EQ(exact.status, SolveStatus::stalled);
  EXPECT_LT(exact.relative_residuals[0], 1e-9);

  // Not positive.
  auto negative = Matrix<double>::filled(3, 3, 0);
  negative(0, 0) = negative(1, 1) = 1;
  negative(2, 2) = -5;
  auto y = Matrix<double>::filled(3, 1, 0);
  const auto ones = Matrix<double>::filled(3, 1, 1);
  EXPECT_EQ(conjugate_gradient(multiply_by(negative), ones.view(), y.view(), {}, mercer::Run()).status,
            SolveStatus::stalled);

  std::stop_source source;
  source.request_stop();
  const mercer::Run run(RunOptions{.stop = source.get_token()});
  EXPECT_EQ(conjugate_gradient(multiply_by(a), b.view(), x.view(), {}, run).status, SolveStatus::stopped);

  auto none = Matrix<double>(0, 2);
  EXPECT_EQ(
      conjugate_gradient(multiply_by(a), ConstMatrixView<double>(none.view()), none.view(), {}, mercer::Run()).status,
      SolveStatus::converged);
  EXPECT_ERROR(conjugate_gradient(multiply_by(a), b.view(), x.view(), {.tolerance = -1}, mercer::Run()),
               InvalidArgument, "tolerance = -1");
  EXPECT_EQ(to_string(SolveStatus::iteration_limit), "iteration_limit");
}

TEST(ConjugateGradient, Float) {
  const auto a = oracle::random_positive<float>(100, 0.5, 41);
  const auto b = oracle::random_matrix<float>(100, 3, 42);
  auto x = Matrix<float>::filled(100, 3, 0);
  const auto result = conjugate_gradient(multiply_by(a), b.view(), x.view(), {.tolerance = 1e-5}, mercer::Run());
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE((Dense(a) * Dense(x) - Dense(b)).norm(), 2e-5 * Dense(b).norm());
}

}  // namespace
}  // namespace mercer
