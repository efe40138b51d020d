#include "mercer/base/special_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace mercer {
namespace {

TEST(SpecialFunctions, ScaledErfc) {
  EXPECT_DOUBLE_EQ(scaled_erfc(0), 1);
  EXPECT_NEAR(scaled_erfc(0.5) / 0.61569034419292587487, 1, 1e-15);
  EXPECT_NEAR(scaled_erfc(5) / 0.11070463773306862637, 1, 1e-15);
  EXPECT_NEAR(scaled_erfc(9.9999999) / scaled_erfc(10.0000001), 1, 3e-8);
  EXPECT_NEAR(scaled_erfc(1e8) * 1e8 * std::sqrt(std::numbers::pi), 1, 1e-15);
  for (const double x : {2.0, 8.0, 9.9, 12.0, 20.0, 25.0}) {
    EXPECT_NEAR(scaled_erfc(x) / (std::exp(static_cast<long double>(x) * x) * std::erfc(static_cast<long double>(x))),
                1, 2e-15)
        << x;
  }
}

TEST(SpecialFunctions, NormalTails) {
  EXPECT_NEAR(log_normal_cumulative(0), -std::numbers::ln2, 1e-16);
  EXPECT_NEAR(log_normal_cumulative(-10), -53.23128515051247, 1e-12);
  EXPECT_NEAR(log_normal_cumulative(-1e4) + 5e7, -std::log(1e4 * std::sqrt(2 * std::numbers::pi)), 1e-6);
  EXPECT_NEAR(log_normal_cumulative(9) / -1.1285884059538406e-19, 1, 1e-12);
  for (const double p : {1e-300, 1e-20, 1e-3, 0.2, 0.499, 0.5, 0.7, 0.999}) {
    EXPECT_NEAR(normal_cumulative(normal_quantile(p)) / p, 1, 1e-12) << p;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_TRUE(std::isfinite(normal_quantile(1e-300)));
}

TEST(SpecialFunctions, HazardHasNoGap) {
  for (const double x : {-30.0, -10.0, -3.0, 0.0, 2.0}) {
    const double inside = normal_hazard(x).ratio;
    const double difference = (log_normal_cumulative(x + 1e-4) - log_normal_cumulative(x - 1e-4)) / 2e-4;
    EXPECT_NEAR(inside / difference, 1, 1e-6);
  }
  // The excess is 1/|x| − 2/|x|³ + 10/|x|⁵ − ….
  EXPECT_NEAR(normal_hazard(-1e4).excess, 1e-4 - 2e-12 + 1e-19, 1e-19);
  EXPECT_NEAR(normal_hazard(-10 - 1e-9).excess / normal_hazard(-10 + 1e-9).excess, 1, 1e-9);
}

TEST(SpecialFunctions, IncompleteGammaSumsThePoissonDistribution) {
  for (const double rate : {0.01, 1.0, 7.5, 60.0}) {
    double sum = 0;
    double term = std::exp(-rate);
    for (int k = 0; k < 100; ++k) {
      sum += term;
      EXPECT_NEAR(upper_incomplete_gamma(k + 1, rate), sum, 1e-13) << rate << " " << k;
      term *= rate / (k + 1);
    }
  }
  EXPECT_EQ(upper_incomplete_gamma(3, 0), 1);
  EXPECT_NEAR(upper_incomplete_gamma(1e6, 1e6), 0.5, 1e-3);
}

TEST(SpecialFunctions, StudentDistribution) {
  for (const double t : {-50.0, -1.0, -0.1, 0.0, 0.3, 4.0}) {
    EXPECT_NEAR(student_cumulative(t, 1), 0.5 + std::atan(t) / std::numbers::pi, 1e-14);
    EXPECT_NEAR(student_cumulative(t, 2), 0.5 + t / (2 * std::sqrt(2 + t * t)), 1e-14);
  }
  EXPECT_NEAR(student_cumulative(1.3, 1e7), normal_cumulative(1.3), 1e-7);
  EXPECT_NEAR(student_cumulative(-1e6, 3) * 1e18, 3 * std::sqrt(3.0) * 2 / (3 * std::numbers::pi), 1e-6);
}

TEST(SpecialFunctions, LogAddExp) {
  EXPECT_DOUBLE_EQ(log_add_exp(1000, 1000), 1000 + std::numbers::ln2);
  EXPECT_EQ(log_add_exp(-std::numeric_limits<double>::infinity(), 3), 3);
}

}  // namespace
}  // namespace mercer
