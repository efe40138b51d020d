#include "mercer/solvers/smooth/quasi_newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stop_token>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

double limited_rosenbrock(std::span<const double> x, std::span<double> gradient) {
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

TEST(QuasiNewton, FindsTheMinimumOfRosenbrocksValley) {
  for (const std::size_t n : {2U, 5U, 80U}) {
    const std::vector<double> start(n, -0.5);
    const std::vector<double> lower(n, -5.0);
    const std::vector<double> upper(n, 5.0);
    const QuasiNewtonResult result =
        minimize_in_box(limited_rosenbrock, start, lower, upper, {.max_evaluations = 2000, .tolerance = 1e-14}, {});
    EXPECT_LT(result.value, 1e-8) << n;
    EXPECT_NEAR(result.x[0], 1, 1e-3) << n;
    EXPECT_GT(result.evaluations, 5);
  }
}

// The same valley in other units of its values and of every unknown is searched step by step alike: units are rounded to
// powers of two, so that nothing else is.
TEST(QuasiNewton, UnitsOfValuesAndUnknownsDoNotCount) {
  const std::vector<double> start(3, -0.5);
  const std::vector<double> lower(3, -5.0);
  const std::vector<double> upper(3, 5.0);
  const std::vector<double> ones(3, 1.0);
  const QuasiNewtonResult plain =
      minimize_in_box(limited_rosenbrock, start, lower, upper, {.tolerance = 1e-12, .lengths = ones}, {});
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
      const double value = unit * limited_rosenbrock(own, gradient);
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

// min Σ (x_i − c_i)² in the box: the projection of c.
TEST(QuasiNewton, StopsAtBounds) {
  const std::vector<double> centre = {2, -3, 0.25, 7};
  const auto distance = [&](std::span<const double> x, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      gradient[i] = 2 * (x[i] - centre[i]);
      value += (x[i] - centre[i]) * (x[i] - centre[i]);
    }
    return value;
  };
  const std::vector<double> lower = {-1, -1, -1, -1};
  const std::vector<double> upper = {1, 1, 1, 1};
  const QuasiNewtonResult result = minimize_in_box(distance, std::vector<double>{5, 5, 5, 5}, lower, upper, {}, {});
  EXPECT_EQ(result.status, SolveStatus::converged);
  const std::vector<double> expected = {1, -1, 0.25, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(result.x[i], expected[i], 1e-5);
  }
}

// −ln(x) + x has no value for x ≤ 0; steps into that region must turn back.
TEST(QuasiNewton, TurnsBackWhereThereIsNoValue) {
  const auto barrier = [](std::span<const double> x, std::span<double> gradient) {
    if (x[0] <= 0) {
      return std::numeric_limits<double>::infinity();
    }
    gradient[0] = -1 / x[0] + 1;
    return x[0] - std::log(x[0]);
  };
  const QuasiNewtonResult result = minimize_in_box(barrier, std::vector<double>{6.0}, std::vector<double>{-50.0},
                                                   std::vector<double>{50.0}, {.tolerance = 1e-12}, {});
  EXPECT_NEAR(result.x[0], 1, 1e-4);
}

TEST(QuasiNewton, CountsEvaluationsAndObeysTheLimit) {
  Index calls = 0;
  const auto counted = [&](std::span<const double> x, std::span<double> gradient) {
    ++calls;
    return limited_rosenbrock(x, gradient);
  };
  const std::vector<double> start(4, -1.0);
  const std::vector<double> lower(4, -5.0);
  const std::vector<double> upper(4, 5.0);
  const QuasiNewtonResult result = minimize_in_box(counted, start, lower, upper, {.max_evaluations = 7}, {});
  EXPECT_EQ(result.evaluations, calls);
  EXPECT_LE(calls, 8);
  EXPECT_EQ(result.status, SolveStatus::iteration_limit);
  std::vector<double> gradient(4);
  EXPECT_LE(result.value, limited_rosenbrock(start, gradient));
  EXPECT_EQ(result.value, limited_rosenbrock(result.x, gradient));
}

TEST(QuasiNewton, PassesExceptionsAndStops) {
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
  EXPECT_ERROR(minimize_in_box(failing, one, zero, two, {}, {}), DataError, "third call");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(minimize_in_box(limited_rosenbrock, one, zero, two, {}, mercer::Run{{.stop = stop.get_token()}}),
               Stopped, "stopped on request");
  const auto nothing = [](std::span<const double>, std::span<double>) { return std::nan(""); };
  EXPECT_ERROR(minimize_in_box(nothing, one, zero, two, {}, {}), NumericalError,
               "the function to be minimised has no value");
  EXPECT_ERROR(minimize_in_box(limited_rosenbrock, one, two, zero, {}, {}), InvalidArgument,
               "bounds 2.000000 .. 0.000000 of unknown 0 are empty");
  EXPECT_ERROR(minimize_in_box(limited_rosenbrock, one, {}, two, {}, {}), InvalidArgument,
               "a start of 1 numbers in a box of 0 and 1 bounds");
}

TEST(QuasiNewton, NothingToSearchIsOneEvaluation) {
  const auto constant = [](std::span<const double>, std::span<double>) { return 3.0; };
  const QuasiNewtonResult result = minimize_in_box(constant, {}, {}, {}, {}, {});
  EXPECT_EQ(result.value, 3.0);
  EXPECT_EQ(result.evaluations, 1);
}

}  // namespace
}  // namespace mercer
