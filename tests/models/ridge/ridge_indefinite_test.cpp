// Ridge with kernels that are not positive definite, against the whole linear system solved by pivoted LU.
#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/ridge/ridge.h"
#include "models/random_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::kernel_matrix;
using testing::random_problem;
using testing::random_samples;
using testing::random_weights;
using testing::same_bits;

// f(x) + b from [K + λW⁻¹ 1; 1ᵀ 0].
Dense direct_predictions(const Kernel& kernel, const TrainingData& data, double lambda, Index constants,
                         const Samples& x) {
  const Index n = data.samples.size();
  Dense system(n + constants, n + constants);
  const Dense k = kernel_matrix(kernel, data.samples, data.samples);
  Dense right(n + constants, data.targets.outputs());
  const Matrix<double> y = data.targets.values();
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      system(i, j) = k(i, j);
    }
    system(i, i) += lambda / data.weights[i];
    if (constants > 0) {
      system(i, n) = 1;
      system(n, i) = 1;
    }
    for (Index o = 0; o < y.columns(); ++o) {
      right(i, o) = y(i, o);
    }
  }
  const Dense solution = system.solve(right);
  const Dense cross = kernel_matrix(kernel, x, data.samples);
  Dense result(x.size(), y.columns());
  for (Index i = 0; i < x.size(); ++i) {
    for (Index o = 0; o < y.columns(); ++o) {
      double sum = constants > 0 ? solution(n, o) : 0.0;
      for (Index j = 0; j < n; ++j) {
        sum += cross(i, j) * solution(j, o);
      }
      result(i, o) = sum;
    }
  }
  return result;
}

TEST(IndefiniteRidge, EqualsTheDirectSolution) {
  for (const Index constants : {0, 1}) {
    TrainingData data = random_problem(30, 3, 2, 61);
    data.weights = random_weights(30, 62);
    const Kernel kernel = parse_kernel("sigmoid(gamma=2, coef0=1)");
    const double lambda = 0.3;
    std::string warned;
    const mercer::Run run{
        {.log = [&](LogLevel level, std::string_view text) { warned += level == LogLevel::warning ? text : ""; }}};
    const auto model = fit_ridge(kernel,
                                 {.lambda = lambda,
                                  .parametric = constants > 0 ? ParametricPart::constant : ParametricPart::none,
                                  .indefinite = IndefiniteKernels::solve},
                                 data, run);
    EXPECT_NE(warned.find("negative eigenvalues"), std::string::npos) << warned;
    EXPECT_LT(model->report().objective, 1e-10);
    const Samples x = random_samples(8, 3, 63);
    const Dense expected = direct_predictions(kernel, data, lambda, constants, x);
    const Matrix<double> found = model->predict(x, {});
    for (Index i = 0; i < 8; ++i) {
      for (Index o = 0; o < 2; ++o) {
        EXPECT_NEAR(found(i, o), expected(i, o), 1e-8 * (1 + std::abs(expected(i, o))));
      }
    }
  }
}

// With a penalty beyond the most negative eigenvalue the matrix is positive, and nothing is to be said.
TEST(IndefiniteRidge, IsSilentWhereTheMatrixIsPositive) {
  const TrainingData data = random_problem(20, 2, 1, 65);
  int warnings = 0;
  const mercer::Run run{{.log = [&](LogLevel level, std::string_view) { warnings += level == LogLevel::warning; }}};
  fit_ridge(parse_kernel("sigmoid(gamma=1)"), {.lambda = 100.0, .indefinite = IndefiniteKernels::solve}, data, run);
  EXPECT_EQ(warnings, 0);
}

// Repeated rows make the matrix singular without a penalty: the smallest coefficients that fit.
TEST(IndefiniteRidge, SingularMatricesGiveTheSmallestCoefficients) {
  const Samples one = random_samples(1, 2, 66);
  const Samples base = one.select(std::vector<Index>{0, 0, 0});
  const TrainingData data = {base, Targets::numeric(std::vector<double>{1, 2, 6})};
  const auto model =
      fit_ridge(parse_kernel("sigmoid(gamma=1)"),
                {.lambda = 0.0, .parametric = ParametricPart::none, .indefinite = IndefiniteKernels::solve}, data);
  EXPECT_NEAR(model->predict(base, {})(0, 0), 3, 1e-10);
}

// A given matrix may be anything: [1 2; 2 1] has the eigenvalues 3 and -1.
TEST(IndefiniteRidge, MatricesWithoutACholeskyFactorAreSolvedByEigenvalues) {
  const std::vector<double> rows{1, 1, 2, 2, 2, 1};
  const TrainingData data = {Samples(DenseRows<double>{rows.data(), 2, 3, 3, 1}),
                             Targets::numeric(std::vector<double>{4, 1})};
  const Kernel kernel = parse_kernel("precomputed(ids=first_column)");
  EXPECT_ERROR(fit_ridge(kernel, {.lambda = 0.5, .parametric = ParametricPart::none}, data), NumericalError,
               "the ridge matrix is numerically singular at row 1");
  std::string warned;
  const mercer::Run run{
      {.log = [&](LogLevel level, std::string_view text) { warned += level == LogLevel::warning ? text : ""; }}};
  const auto model = fit_ridge(
      kernel, {.lambda = 0.5, .parametric = ParametricPart::none, .indefinite = IndefiniteKernels::solve}, data, run);
  EXPECT_NE(warned.find("eigenvalues"), std::string::npos) << warned;
  // (K + I/2)c = y by Cramer's rule.
  const double determinant = 1.5 * 1.5 - 4;
  const double first = (1.5 * 4 - 2 * 1) / determinant;
  const double second = (1.5 * 1 - 2 * 4) / determinant;
  const Matrix<double> found = model->predict(data.samples, {});
  EXPECT_NEAR(found(0, 0), first + 2 * second, 1e-12);
  EXPECT_NEAR(found(1, 0), 2 * first + second, 1e-12);
}

TEST(IndefiniteRidge, HasNoPathAndNoLeaveOneOut) {
  const TrainingData data = random_problem(12, 2, 1, 64);
  const Kernel kernel = parse_kernel("sigmoid(gamma=0.1)");
  EXPECT_ERROR(
      fit_ridge(kernel, {.select = PenaltyChoice::leave_one_out, .indefinite = IndefiniteKernels::solve}, data),
      InvalidArgument, "ridge: select = loo: a penalty cannot be chosen for the kernel");
  EXPECT_ERROR(fit_ridge(kernel, {.indefinite = IndefiniteKernels::solve, .loo = true}, data), InvalidArgument,
               "ridge: the kernel sigmoid(gamma=0.1, coef0=0) is indefinite");
  EXPECT_ERROR(fit_ridge(kernel, {.parametric = ParametricPart::linear, .indefinite = IndefiniteKernels::solve}, data),
               InvalidArgument, "ridge: the kernel sigmoid(gamma=0.1, coef0=0) is indefinite");
}

TEST(IndefiniteRidge, PositiveKernelsAreSolvedAsEver) {
  const TrainingData data = random_problem(12, 2, 1, 67);
  const auto plain = fit_ridge(parse_kernel("rbf(gamma=1)"), {.loo = true}, data);
  const auto same =
      fit_ridge(parse_kernel("rbf(gamma=1)"), {.indefinite = IndefiniteKernels::solve, .loo = true}, data);
  EXPECT_TRUE(same_bits(plain->predict(data.samples, {}), same->predict(data.samples, {})));
}

}  // namespace
}  // namespace mercer
