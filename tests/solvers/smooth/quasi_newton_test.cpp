// What both minimisers in a box promise (quasi_newton.h, dense_quasi_newton.h), and what each alone does.
#include "mercer/solvers/smooth/quasi_newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/smooth/dense_quasi_newton.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct LimitedMemory {
  static constexpr auto minimize = minimize_in_box;
};

struct DenseMatrix {
  static constexpr auto minimize = minimize_few_in_box;
};

template <class Method>
class MinimizeInBox : public ::testing::Test {};

using Methods = ::testing::Types<LimitedMemory, DenseMatrix>;
TYPED_TEST_SUITE(MinimizeInBox, Methods);

double rosenbrock(std::span<const double> x, std::span<double> gradient) {
  double value = 0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double a = x[i + 1] - x[i] * x[i];
    const double b = 1 - x[i];
    value += 100 * a * a + b * b;
    gradient[i] += -400 * a * x[i] - 2 * b;
    gradient[i + 1] += 200 * a;
  }
  return value;
}

TYPED_TEST(MinimizeInBox, FindsTheMinimumOfRosenbrocksValley) {
  for (const std::size_t n : {2U, 5U, 80U}) {
    const std::vector<double> start(n, -0.5);
    const std::vector<double> lower(n, -5.0);
    const std::vector<double> upper(n, 5.0);
    const QuasiNewtonResult result =
        TypeParam::minimize(rosenbrock, start, lower, upper, {.max_evaluations = 2000, .tolerance = 1e-14}, {});
    EXPECT_LT(result.value, 1e-8) << n;
    EXPECT_NEAR(result.x[0], 1, 1e-3) << n;
    EXPECT_GT(result.evaluations, 5);
  }
}

// min Σ (x_i − c_i)² in the box: the projection of c.
TYPED_TEST(MinimizeInBox, StopsAtBounds) {
  const std::vector<double> center = {2, -3, 0.25, 7};
  const auto distance = [&](std::span<const double> x, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      gradient[i] = 2 * (x[i] - center[i]);
      value += (x[i] - center[i]) * (x[i] - center[i]);
    }
    return value;
  };
  const std::vector<double> lower = {-1, -1, -1, -1};
  const std::vector<double> upper = {1, 1, 1, 1};
  const QuasiNewtonResult result = TypeParam::minimize(distance, std::vector<double>{5, 5, 5, 5}, lower, upper, {}, {});
  EXPECT_EQ(result.status, SolveStatus::converged);
  const std::vector<double> expected = {1, -1, 0.25, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(result.x[i], expected[i], 1e-5);
  }
}

// −ln(x) + x has no value for x ≤ 0; steps into that region must turn back.
TYPED_TEST(MinimizeInBox, TurnsBackWhereThereIsNoValue) {
  const auto barrier = [](std::span<const double> x, std::span<double> gradient) {
    if (x[0] <= 0) {
      return std::numeric_limits<double>::infinity();
    }
    gradient[0] = -1 / x[0] + 1;
    return x[0] - std::log(x[0]);
  };
  const QuasiNewtonResult result = TypeParam::minimize(barrier, std::vector<double>{6.0}, std::vector<double>{-50.0},
                                                       std::vector<double>{50.0}, {.tolerance = 1e-12}, {});
  EXPECT_NEAR(result.x[0], 1, 1e-4);
}

TYPED_TEST(MinimizeInBox, CountsEvaluationsAndObeysTheLimit) {
  Index calls = 0;
  const auto counted = [&](std::span<const double> x, std::span<double> gradient) {
    ++calls;
    return rosenbrock(x, gradient);
  };
  const std::vector<double> start(4, -1.0);
  const std::vector<double> lower(4, -5.0);
  const std::vector<double> upper(4, 5.0);
  const QuasiNewtonResult result = TypeParam::minimize(counted, start, lower, upper, {.max_evaluations = 7}, {});
  EXPECT_EQ(result.evaluations, calls);
  EXPECT_LE(calls, 8);
  EXPECT_EQ(result.status, SolveStatus::iteration_limit);
  std::vector<double> gradient(4);
  EXPECT_LE(result.value, rosenbrock(start, gradient));
  EXPECT_EQ(result.value, rosenbrock(result.x, gradient));
}

TYPED_TEST(MinimizeInBox, PassesExceptionsAndStops) {
  const std::vector<double> one = {1.0};
  const std::vector<double> zero = {0.0};
  const std::vector<double> two = {2.0};
  Index calls = 0;
  const auto failing = [&](std::span<const double> x, std::span<double> gradient) -> double {
    if (++calls == 3) {
      throw DataError("third call");
    }
    gradient[0] = 4 * std::pow(x[0] - 0.3, 3);
    return std::pow(x[0] - 0.3, 4);
  };
  EXPECT_ERROR(TypeParam::minimize(failing, one, zero, two, {}, {}), DataError, "third call");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(TypeParam::minimize(rosenbrock, one, zero, two, {}, mercer::Run{{.stop = stop.get_token()}}), Stopped,
               "stopped on request");
  const auto nothing = [](std::span<const double>, std::span<double>) { return std::nan(""); };
  EXPECT_ERROR(TypeParam::minimize(nothing, one, zero, two, {}, {}), NumericalError,
               "the function to be minimised has no value");
  EXPECT_ERROR(TypeParam::minimize(rosenbrock, one, two, zero, {}, {}), InvalidArgument,
               "bounds 2.000000 .. 0.000000 of unknown 0 are empty");
  EXPECT_ERROR(TypeParam::minimize(rosenbrock, one, {}, two, {}, {}), InvalidArgument,
               "a start of 1 numbers in a box of 0 and 1 bounds");
}

TYPED_TEST(MinimizeInBox, NothingToSearchIsOneEvaluation) {
  const auto constant = [](std::span<const double>, std::span<double>) { return 3.0; };
  const QuasiNewtonResult result = TypeParam::minimize(constant, {}, {}, {}, {}, {});
  EXPECT_EQ(result.value, 3.0);
  EXPECT_EQ(result.evaluations, 1);
}

// The same valley in other units of its values and of every unknown is searched step by step alike: units are rounded to
// powers of two, so that nothing else is.
TEST(QuasiNewton, UnitsOfValuesAndUnknownsDoNotCount) {
  const std::vector<double> start(3, -0.5);
  const std::vector<double> lower(3, -5.0);
  const std::vector<double> upper(3, 5.0);
  const std::vector<double> ones(3, 1.0);
  const QuasiNewtonResult plain =
      minimize_in_box(rosenbrock, start, lower, upper, {.tolerance = 1e-12, .lengths = ones}, {});
  EXPECT_LT(plain.value, 1e-6);
  const auto times = [](const std::vector<double>& values, const std::vector<double>& factors) {
    std::vector<double> result = values;
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] *= factors[i];
    }
    return result;
  };
  for (const int power : {-40, -20, 20, 40}) {
    const double unit = std::ldexp(1.0, 2 * power);
    const std::vector<double> factors = {std::ldexp(1.0, power), std::ldexp(1.0, -power), 1};
    const SmoothFunction scaled = [&](std::span<const double> x, std::span<double> gradient) {
      const std::vector<double> own = {x[0] / factors[0], x[1] / factors[1], x[2]};
      const double value = unit * rosenbrock(own, gradient);
      for (std::size_t i = 0; i < 3; ++i) {
        gradient[i] *= unit / factors[i];
      }
      return value;
    };
    const std::vector<double> lengths = times(factors, {1.3, 0.8, 1});
    const QuasiNewtonResult found =
        minimize_in_box(scaled, times(start, factors), times(lower, factors), times(upper, factors),
                        {.tolerance = 1e-12, .value_unit = 1.2 * unit, .lengths = lengths}, {});
    EXPECT_EQ(found.evaluations, plain.evaluations) << power;
    EXPECT_EQ(found.value, unit * plain.value) << power;
    EXPECT_EQ(found.x, times(plain.x, factors)) << power;
  }
}

// ½ (x − c)ᵀA(x − c) with eigenvalues from 1e-2 to 1e4: with its curvature known there is nothing to learn.
TEST(DenseQuasiNewton, KnownCurvatureSavesEvaluations) {
  constexpr std::size_t n = 6;
  Matrix<double> a(n, n);
  for (Index i = 0; i < static_cast<Index>(n); ++i) {
    for (Index j = 0; j < static_cast<Index>(n); ++j) {
      // A reflection on both sides of a diagonal.
      double sum = 0;
      for (Index k = 0; k < static_cast<Index>(n); ++k) {
        const auto reflected = [&](Index row) { return (row == k ? 1.0 : 0.0) - 2.0 / static_cast<double>(n); };
        sum += reflected(i) * std::pow(10.0, static_cast<double>(k) * 1.2 - 2) * reflected(j);
      }
      a(i, j) = sum;
    }
  }
  const auto quadratic = [&](std::span<const double> x, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      gradient[i] = 0;
      for (std::size_t j = 0; j < n; ++j) {
        gradient[i] += a(static_cast<Index>(i), static_cast<Index>(j)) * (x[j] - 0.5);
      }
      value += 0.5 * gradient[i] * (x[i] - 0.5);
    }
    return value;
  };
  const std::vector<double> start(n, 0.0);
  const std::vector<double> lower(n, -3.0);
  const std::vector<double> upper(n, 3.0);
  const QuasiNewtonResult known = minimize_few_in_box(quadratic, start, lower, upper,
                                                      {.tolerance = 1e-10, .curvature = std::as_const(a).view()}, {});
  const QuasiNewtonResult unknown = minimize_few_in_box(quadratic, start, lower, upper, {.tolerance = 1e-10}, {});
  EXPECT_EQ(known.evaluations, 2);
  EXPECT_LT(known.value, 1e-20);
  EXPECT_GT(unknown.evaluations, 4);
  EXPECT_LT(unknown.value, 1e-9);
}

// Σ exp(−2x): every step finds less curvature than the last one, down to the bound.
TEST(DenseQuasiNewton, GoesOnWhereTheFunctionLevelsOff) {
  const auto tails = [](std::span<const double> x, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      value += std::exp(-2 * x[i]);
      gradient[i] = -2 * std::exp(-2 * x[i]);
    }
    return value;
  };
  const std::vector<double> start = {0, 1};
  const std::vector<double> lower = {-1, -1};
  const std::vector<double> upper = {9, 9};
  const QuasiNewtonResult result = minimize_few_in_box(tails, start, lower, upper, {.tolerance = 1e-12}, {});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LT(result.value, 2 * std::exp(-18.0) + 1e-9);
  EXPECT_LT(result.evaluations, 40);
}

TEST(DenseQuasiNewton, RefusesOptionsThatMeanNothing) {
  const std::vector<double> one = {1.0};
  const std::vector<double> zero = {0.0};
  const std::vector<double> two = {2.0};
  for (const DenseQuasiNewtonOptions& options :
       {DenseQuasiNewtonOptions{.max_evaluations = 0}, DenseQuasiNewtonOptions{.tolerance = -1},
        DenseQuasiNewtonOptions{.first_radius = 0}, DenseQuasiNewtonOptions{.first_radius = std::nan("")}}) {
    EXPECT_ERROR(minimize_few_in_box(rosenbrock, one, zero, two, options, {}), InvalidArgument, ": must be ");
  }
}

}  // namespace
}  // namespace mercer
