// Metrics of predictive distributions against closed forms, their intervals against their coverage, ends of the scales.
#include "mercer/select/distribution_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

const double log_two_pi = std::log(2 * std::acos(-1.0));

TEST(DistributionMetrics, HandComputed) {
  const std::vector<double> y = {1, 2, 3, 6};  // mean 3, variance 14/4
  const std::vector<double> m = {1, 3, 3, 4};
  const std::vector<double> v = {1, 1, 4, 4};
  const Metric smse = standardized_mean_squared_error(y, m);
  EXPECT_NEAR(smse.value, 5.0 / 14, 1e-14);
  EXPECT_EQ(smse.baseline, 1);
  EXPECT_LT(smse.lower, smse.value);
  EXPECT_GT(smse.upper, smse.value);
  const std::vector<double> density = normal_log_density(y, m, v);
  const double expected = 0.5 * log_two_pi + 0.5 * (2 * std::log(4.0) + 0 + 1 + 0 + 1) / 4;
  const Metric nlpd = negative_log_predictive_density(y, density);
  EXPECT_NEAR(nlpd.value, expected, 1e-14);
  const double trivial = 0.5 * log_two_pi + 0.5 * std::log(3.5) + 0.5;
  EXPECT_NEAR(nlpd.baseline, trivial, 1e-14);
  const Metric msll = mean_standardized_log_loss(y, density);
  EXPECT_NEAR(msll.value, expected - trivial, 1e-14);
  EXPECT_EQ(msll.baseline, 0);
  EXPECT_EQ(msll.better, Better::lower);
}

TEST(DistributionMetrics, TheTrivialPredictorScoresItsBaselines) {
  const std::vector<double> y = {-1, 0, 2, 5, 5.5};
  double mean = 0;
  double variance = 0;
  for (const double value : y) {
    mean += value / 5;
  }
  for (const double value : y) {
    variance += (value - mean) * (value - mean) / 5;
  }
  const std::vector<double> m(5, mean);
  const std::vector<double> v(5, variance);
  const std::vector<double> density = normal_log_density(y, m, v);
  EXPECT_NEAR(standardized_mean_squared_error(y, m).value, 1, 1e-14);
  EXPECT_NEAR(mean_standardized_log_loss(y, density).value, 0, 1e-14);
  const Metric nlpd = negative_log_predictive_density(y, density);
  EXPECT_NEAR(nlpd.value, nlpd.baseline, 1e-14);
  constexpr double z50 = 0.6744897501960817;  // Φ⁻¹(0.75)
  const std::vector<double> lower(5, mean - z50 * std::sqrt(variance));
  const std::vector<double> upper(5, mean + z50 * std::sqrt(variance));
  const Metric half = coverage(y, lower, upper, 0.5);
  EXPECT_EQ(half.value, half.baseline);
  EXPECT_EQ(half.name, "coverage 50 %");
  EXPECT_EQ(half.better, Better::closer);
}

TEST(DistributionMetrics, CoverageCounts) {
  const std::vector<double> y = {0, 1, 2, 3};
  const std::vector<double> lower = {0, 2, 1, 2};
  const std::vector<double> upper = {1, 3, 2, 2.5};
  const Metric metric = coverage(y, lower, upper, 0.95);  // the first and the third, both on a limit
  EXPECT_EQ(metric.value, 0.5);
  EXPECT_EQ(metric.baseline, 1);  // 1.5/√1.25 = 1.34 < 1.96
  EXPECT_EQ(metric.lower, wilson_interval(2, 4).lower);
  EXPECT_EQ(metric.upper, wilson_interval(2, 4).upper);
  EXPECT_EQ(metric.name, "coverage 95 %");
  EXPECT_EQ(coverage(y, lower, upper, 0.999).name, "coverage 99.9 %");
  EXPECT_ERROR(coverage(y, lower, upper, 1), InvalidArgument, "coverage: level = 1");
  EXPECT_ERROR(coverage(y, lower, upper, 95), InvalidArgument, "coverage: level = 95");
  EXPECT_ERROR(coverage(y, lower, std::vector<double>{1}, 0.5), InvalidArgument,
               "there are 1 predictions for 4 samples");
  EXPECT_TRUE(std::isnan(coverage(y, std::vector<double>(4, std::nan("")), upper, 0.5).value));
}

TEST(DistributionMetrics, PinballCountsBothSidesOfEveryLevel) {
  const std::vector<double> y = {0, 1, 2, 7};
  const std::vector<double> levels = {0.25, 0.8};
  Matrix<double> quantiles(4, 2);
  for (Index i = 0; i < 4; ++i) {
    quantiles(i, 0) = 1;
    quantiles(i, 1) = 4;
  }
  const Metric metric = pinball_loss(y, quantiles.view(), levels);
  // At 0.25: 0.75 · 1, 0, 0.25 · 1, 0.25 · 6; at 0.8: 0.2 · 4, 0.2 · 3, 0.2 · 2, 0.8 · 3.
  EXPECT_NEAR(metric.value, ((0.75 + 0 + 0.25 + 1.5) + (0.8 + 0.6 + 0.4 + 2.4)) / 8, 1e-15);
  // The best constants are 0 (or 1, or between) and 7: 0.25 · 10 and 0.2 · 18.
  EXPECT_NEAR(metric.baseline, (2.5 + 3.6) / 8, 1e-15);
  for (const double other : {0.5, 1.5, 6.5, 7.5}) {
    quantiles(0, 0) = quantiles(1, 0) = quantiles(2, 0) = quantiles(3, 0) = std::min(other, 1.0);
    quantiles(0, 1) = quantiles(1, 1) = quantiles(2, 1) = quantiles(3, 1) = other;
    EXPECT_GE(pinball_loss(y, quantiles.view(), levels).value, metric.baseline - 1e-15);
  }
  EXPECT_EQ(metric.name, "pinball");
  EXPECT_EQ(metric.better, Better::lower);
  EXPECT_GE(metric.lower, 0);
  EXPECT_ERROR(pinball_loss(y, quantiles.view(), std::vector<double>{0.5}), InvalidArgument, "there are");
  EXPECT_ERROR(pinball_loss(std::vector<double>{1}, quantiles.view(), levels), InvalidArgument,
               "there are 4 predictions for 1 samples");
  const std::vector<double> unknown = {0, 1, std::nan(""), 7};
  EXPECT_TRUE(std::isnan(pinball_loss(unknown, quantiles.view(), levels).value));
}

TEST(DistributionMetrics, SharesBelowCountEquals) {
  const std::vector<double> y = {0, 1, 2, 3};
  const Metric metric = share_below(y, std::vector<double>{0, 0.5, 2.5, 9}, 0.9);
  EXPECT_EQ(metric.value, 0.75);
  EXPECT_EQ(metric.lower, wilson_interval(3, 4).lower);
  EXPECT_EQ(metric.name, "below quantile 0.9");
  EXPECT_EQ(metric.baseline, 0.75);  // 1.5 + 1.28 · 1.118 = 2.93
  EXPECT_TRUE(std::isnan(share_below(y, std::vector<double>(4, std::nan("")), 0.5).value));
}

TEST(DistributionMetrics, EndsOfTheScales) {
  const std::vector<double> constant = {2, 2, 2};
  const std::vector<double> density = {-1, -1, -1};
  EXPECT_TRUE(std::isnan(standardized_mean_squared_error(constant, constant).value));
  EXPECT_TRUE(std::isnan(mean_standardized_log_loss(constant, density).value));
  EXPECT_EQ(negative_log_predictive_density(constant, density).value, 1);
  EXPECT_TRUE(std::isnan(negative_log_predictive_density(constant, density).baseline));
  EXPECT_EQ(coverage(constant, constant, constant, 0.9).value, 1);
  EXPECT_EQ(coverage(constant, constant, constant, 0.9).baseline, 1);
  // Negative values are good ones: the lower limit is not cut off at 0.
  const std::vector<double> y = {1, 2, 3};
  const Metric sharp = negative_log_predictive_density(y, std::vector<double>{4, 5, 6});
  EXPECT_EQ(sharp.value, -5);
  EXPECT_LT(sharp.lower, -5);
  const Metric impossible = negative_log_predictive_density(y, std::vector<double>{0, 0, -INFINITY});
  EXPECT_EQ(impossible.value, INFINITY);
  EXPECT_TRUE(std::isnan(impossible.upper));
  EXPECT_ERROR(negative_log_predictive_density({}, {}), InvalidArgument, "there are no samples to score");
  EXPECT_ERROR(mean_standardized_log_loss(y, density.empty() ? density : std::vector<double>{1}), InvalidArgument,
               "there are 1 predictions for 3 samples");
  EXPECT_ERROR(normal_log_density(y, y, std::vector<double>{1, 0, 1}), InvalidArgument,
               "the predictive variance of sample 1");
  const std::vector<double> one = {1};
  EXPECT_TRUE(std::isnan(negative_log_predictive_density(one, one).upper));
}

// Standard normal truth under N(0, s²): the expected loss is ½ ln 2πs² + 1/(2s²); intervals must hold it about 95 times
// of 100, and a central interval covers what erf says.
TEST(DistributionMetrics, IntervalsCoverTheTruth) {
  constexpr double s = 1.4;
  const double expected = 0.5 * log_two_pi + std::log(s) + 0.5 / (s * s);
  constexpr double z90 = 1.6448536269514722;
  const double inside = std::erf(z90 * s / std::sqrt(2.0));
  int loss = 0;
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomStream random(seed, 3);
    std::vector<double> y(300);
    fill_normal(random, y);
    const std::vector<double> zero(300, 0.0);
    const Metric nlpd =
        negative_log_predictive_density(y, normal_log_density(y, zero, std::vector<double>(300, s * s)));
    loss += nlpd.lower <= expected && expected <= nlpd.upper ? 1 : 0;
    const Metric share = coverage(y, std::vector<double>(300, -z90 * s), std::vector<double>(300, z90 * s), 0.9);
    covered += share.lower <= inside && inside <= share.upper ? 1 : 0;
  }
  EXPECT_GE(loss, 920);
  EXPECT_LE(loss, 980);
  EXPECT_GE(covered, 920);
  EXPECT_LE(covered, 990);
}

}  // namespace
}  // namespace mercer
