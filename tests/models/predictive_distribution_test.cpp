#include "mercer/models/predictive_distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

StudentPredictions one(double mean, double function, double observation, double degrees) {
  return StudentPredictions({.mean = Matrix<double>::filled(1, 1, mean),
                             .function_variance = Matrix<double>::filled(1, 1, function),
                             .observation_variance = Matrix<double>::filled(1, 1, observation),
                             .degrees = {degrees}});
}

double quantile(double level, double degrees) {
  const std::vector<double> levels = {level};
  return one(0, 1, 1, degrees).quantiles(levels, PredictionOf::observation)(0, 0);
}

double log_density(const StudentPredictions& predictions, double truth) {
  return predictions.log_density(Matrix<double>::filled(1, 1, truth).view())(0, 0);
}

// Closed forms for ν = 1 (Cauchy) and ν = 2, far into both tails.
TEST(StudentPredictions, QuantilesKeepTheirDigitsInTheTails) {
  for (const double level : {1e-140, 1e-30, 1e-20, 1e-16, 1e-8, 0.025, 0.3}) {
    const double cauchy = -1 / std::tan(std::numbers::pi * level);
    EXPECT_NEAR(quantile(level, 1), cauchy, 1e-12 * std::abs(cauchy)) << level;
    const double two = (2 * level - 1) / std::sqrt(2 * level * (1 - level));
    EXPECT_NEAR(quantile(level, 2), two, 1e-12 * std::abs(two)) << level;
  }
  EXPECT_NEAR(quantile(0.5, 3), 0, 1e-15);
  EXPECT_NEAR(quantile(0.975, 3), 3.182446305284263, 1e-11);
  EXPECT_EQ(quantile(0.2, 7), -quantile(0.8, 7));
  // Of many degrees of freedom: the normal distribution and its first correction, on both sides of where that is taken.
  for (const double level : {1e-14, 0.025, 0.4}) {
    const double z = quantile(level, infinity);
    for (const double degrees : {1e5, 9e5, 2e6, 1e12}) {
      const double expected = z + (z * z * z + z) / (4 * degrees) +
                              (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * degrees * degrees);
      EXPECT_NEAR(quantile(level, degrees), expected, 1e-8 * std::abs(expected)) << level << " " << degrees;
    }
  }
}

TEST(StudentPredictions, DensitiesOfManyDegreesOfFreedomAreNormal) {
  const double normal = log_density(one(1, 4, 4, infinity), 2.5);
  EXPECT_NEAR(normal, -0.5 * (0.75 * 0.75 + std::log(2 * std::numbers::pi * 4)), 1e-14);
  for (const double degrees : {1e7, 1e9, 1e12, 1e15}) {
    EXPECT_NEAR(log_density(one(1, 4, 4, degrees), 2.5), normal, 1 / degrees + 1e-14) << degrees;
  }
}

TEST(StudentPredictions, WithoutVarianceAreAPoint) {
  for (const double degrees : {3.0, infinity}) {
    const StudentPredictions point = one(3.5, 0, 0, degrees);
    EXPECT_EQ(log_density(point, 3.5), infinity);
    EXPECT_EQ(log_density(point, 3.6), -infinity);
    EXPECT_TRUE(std::isnan(log_density(point, std::nan(""))));
    const std::vector<double> levels = {0.01, 0.99};
    EXPECT_EQ(point.quantiles(levels, PredictionOf::function)(0, 1), 3.5);
  }
}

TEST(StudentPredictions, LevelsAndShapesAreChecked) {
  const StudentPredictions any = one(0, 1, 1, 3);
  for (const double level : {0.0, 1.0, -0.1, std::nan("")}) {
    const std::vector<double> levels = {level};
    EXPECT_ERROR(any.quantiles(levels, PredictionOf::function), InvalidArgument, "between 0 and 1");
  }
  EXPECT_ERROR(any.log_density(Matrix<double>::filled(2, 1, 0.0).view()), InvalidArgument, "targets of 2 by 1");
}

}  // namespace
}  // namespace mercer
