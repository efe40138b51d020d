// Metrics against their definitions written out another way, intervals against their coverage, ends of the scales.
#include "mercer/select/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct Pairs {
  std::vector<double> truth;
  std::vector<double> predicted;
};

Pairs noisy_pairs(std::uint64_t seed, int n, double noise) {
  RandomStream random(seed);
  Pairs pairs;
  for (int i = 0; i < n; ++i) {
    pairs.predicted.push_back(random.normal());
    pairs.truth.push_back(pairs.predicted.back() + noise * random.normal());
  }
  return pairs;
}

TEST(RegressionMetrics, HandComputed) {
  const std::vector<double> y = {1, 2, 3, 6};
  const std::vector<double> f = {1, 3, 3, 4};
  const auto metrics = regression_metrics(y, f);
  ASSERT_EQ(metrics.size(), 3U);
  EXPECT_NEAR(metrics[0].value, std::sqrt(5.0 / 4), 1e-14);
  EXPECT_NEAR(metrics[0].baseline, std::sqrt(14.0 / 4), 1e-14);  // mean 3: 4 + 1 + 0 + 9
  EXPECT_NEAR(metrics[1].value, 3.0 / 4, 1e-14);
  EXPECT_NEAR(metrics[1].baseline, 6.0 / 4, 1e-14);  // median 2.5: 1.5 + 0.5 + 0.5 + 3.5
  EXPECT_NEAR(metrics[2].value, 1 - 5.0 / 14, 1e-14);
  EXPECT_EQ(metrics[2].baseline, 0);
}

TEST(RegressionMetrics, PerfectAndConstant) {
  const std::vector<double> y = {1, 2, 3};
  EXPECT_EQ(root_mean_squared_error(y, y).value, 0);
  EXPECT_EQ(root_mean_squared_error(y, y).upper, 0);
  EXPECT_EQ(r_squared(y, y).value, 1);
  const std::vector<double> constant = {2, 2, 2};
  EXPECT_TRUE(std::isnan(r_squared(constant, y).value));
}

TEST(RegressionMetrics, OneSampleHasNoInterval) {
  const std::vector<double> y = {1};
  const std::vector<double> f = {3};
  EXPECT_EQ(root_mean_squared_error(y, f).value, 2);
  EXPECT_TRUE(std::isnan(root_mean_squared_error(y, f).upper));
  EXPECT_TRUE(std::isnan(mean_absolute_error(y, f).upper));
}

TEST(RegressionMetrics, LengthsAreChecked) {
  const std::vector<double> y = {1, 2};
  const std::vector<double> f = {1};
  EXPECT_ERROR(mean_absolute_error(y, f), InvalidArgument, "there are 1 predictions for 2 samples");
  EXPECT_ERROR(root_mean_squared_error({}, {}), InvalidArgument, "there are no samples to score");
}

// Of 1000 samples drawn from a known distribution about 95 % of the intervals must hold the known value: 3.3 standard
// deviations of that count are 23.
TEST(RegressionMetrics, IntervalsCoverTheTruth) {
  constexpr double noise = 0.5;
  int rmse = 0;
  int mae = 0;
  int r2 = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Pairs pairs = noisy_pairs(seed, 300, noise);
    const auto covers = [](const Metric& m, double value) { return m.lower <= value && value <= m.upper ? 1 : 0; };
    rmse += covers(root_mean_squared_error(pairs.truth, pairs.predicted), noise);
    mae += covers(mean_absolute_error(pairs.truth, pairs.predicted), noise * std::sqrt(2 / std::acos(-1.0)));
    r2 += covers(r_squared(pairs.truth, pairs.predicted), 1 - noise * noise / (1 + noise * noise));
  }
  for (const int covered : {rmse, mae, r2}) {
    EXPECT_GE(covered, 920);
    EXPECT_LE(covered, 980);
  }
}

TEST(ClassMetrics, ConfusionAccuracyAndUnknownLabels) {
  const std::vector<std::int32_t> truth = {0, 0, 0, 1, 1, 2, -1};
  const std::vector<std::int32_t> predicted = {0, 0, 1, 1, 0, 2, 2};
  const Matrix<Index> counts = confusion_matrix(truth, predicted, 3);
  EXPECT_EQ(counts(0, 0), 2);
  EXPECT_EQ(counts(0, 1), 1);
  EXPECT_EQ(counts(1, 0), 1);
  EXPECT_EQ(counts(3, 2), 1);
  EXPECT_NEAR(accuracy(counts).value, 4.0 / 7, 1e-15);
  EXPECT_NEAR(accuracy(counts).baseline, 3.0 / 7, 1e-15);
  EXPECT_ERROR(confusion_matrix(truth, predicted, 2), InvalidArgument, "class 2 predicted for class 2");
}

// As scikit-learn's balanced_accuracy_score: every label of the truth is a class.
TEST(ClassMetrics, UnknownLabelsAreClassesOfRecallZero) {
  const std::vector<std::int32_t> truth = {0, 0, 0, 1, 1, 2, -1, -1};
  const std::vector<std::int32_t> predicted = {0, 0, 1, 1, 0, 2, 2, 0};
  const Matrix<Index> counts = confusion_matrix(truth, predicted, 3);
  const double recalls = 2.0 / 3 + 0.5 + 1;
  const double upper = balanced_accuracy(counts).upper * 3;
  for (const Index unknown : {0, 1, 2}) {
    const auto classes = static_cast<double>(3 + unknown);
    const Metric metric = balanced_accuracy(counts, unknown);
    EXPECT_NEAR(metric.value, recalls / classes, 1e-15) << unknown;
    EXPECT_NEAR(metric.baseline, 1 / classes, 1e-15) << unknown;
    // What cannot be answered adds no doubt to the interval.
    EXPECT_NEAR((metric.upper - metric.value) * classes, upper - recalls, 1e-14) << unknown;
  }
  // Nothing but unknown labels: no answer is ever right, and no constant one.
  const Matrix<Index> others = confusion_matrix(std::vector<std::int32_t>{-1, -1}, std::vector<std::int32_t>{0, 1}, 2);
  const Metric none = balanced_accuracy(others, 2);
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.baseline, 0);
  EXPECT_EQ(none.upper, 0);
  EXPECT_EQ(accuracy(others).baseline, 0);
  // No answers at all have no score.
  const Matrix<Index> empty = confusion_matrix({}, {}, 2);
  EXPECT_TRUE(std::isnan(accuracy(empty).value));
  EXPECT_TRUE(std::isnan(balanced_accuracy(empty).value));
}

// Wilson's limits p solve (p̂ − p)² = z² p(1 − p)/n.
TEST(ClassMetrics, WilsonSolvesItsEquation) {
  constexpr double z = 1.959963984540054;
  for (const Index n : {1, 2, 10, 57, 1000}) {
    for (Index k = 0; k <= n; k += std::max<Index>(1, n / 7)) {
      const ProportionInterval limits = wilson_interval(k, n);
      const double p = static_cast<double>(k) / static_cast<double>(n);
      for (const double limit : {limits.lower, limits.upper}) {
        EXPECT_NEAR((p - limit) * (p - limit), z * z * limit * (1 - limit) / static_cast<double>(n), 1e-12);
      }
      EXPECT_LE(limits.lower, p);
      EXPECT_GE(limits.upper, p);
    }
  }
}

TEST(ClassMetrics, OneClassGivesTheSameLimitsForBothAccuracies) {
  const std::vector<std::int32_t> truth = {0, 0, 0, 0, 0};
  const std::vector<std::int32_t> predicted = {0, 0, 1, 0, 0};
  const Matrix<Index> counts = confusion_matrix(truth, predicted, 2);
  EXPECT_NEAR(accuracy(counts).lower, balanced_accuracy(counts).lower, 1e-15);
  EXPECT_NEAR(accuracy(counts).upper, balanced_accuracy(counts).upper, 1e-15);
}

TEST(AreaUnderCurve, CountsPairs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed);
    std::vector<char> positive;
    std::vector<double> scores;
    for (int i = 0; i < 60; ++i) {
      positive.push_back(random.uniform() < 0.4 ? 1 : 0);
      scores.push_back(static_cast<double>(random.below(10)) + 2 * positive.back());  // many ties
    }
    double wins = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      for (std::size_t j = 0; j < scores.size(); ++j) {
        if (positive[i] != 0 && positive[j] == 0) {
          wins += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
          ++pairs;
        }
      }
    }
    const Metric auc = area_under_curve(positive, scores);
    EXPECT_NEAR(auc.value, wins / pairs, 1e-14);
    EXPECT_LT(auc.lower, auc.value);
    EXPECT_GT(auc.upper, auc.value);
  }
}

TEST(AreaUnderCurve, PerfectSeparationStillHasAWidth) {
  const std::vector<char> positive = {0, 0, 0, 1, 1, 1};
  const std::vector<double> scores = {1, 2, 3, 4, 5, 6};
  const Metric auc = area_under_curve(positive, scores);
  EXPECT_EQ(auc.value, 1);
  EXPECT_EQ(auc.upper, 1);
  EXPECT_GT(auc.lower, 0.3);
  EXPECT_LT(auc.lower, 0.9);
  EXPECT_TRUE(std::isnan(area_under_curve(std::vector<char>{1, 1}, std::vector<double>{1, 2}).value));
}

// Normal scores with means 0 and 1: the area is Φ(1/√2).
TEST(AreaUnderCurve, IntervalCoversTheTruth) {
  const double area = 0.5 * std::erfc(-0.5);
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomStream random(seed);
    std::vector<char> positive;
    std::vector<double> scores;
    for (int i = 0; i < 200; ++i) {
      positive.push_back(static_cast<char>(i % 2));
      scores.push_back(random.normal() + (i % 2));
    }
    const Metric auc = area_under_curve(positive, scores);
    covered += auc.lower <= area && area <= auc.upper ? 1 : 0;
  }
  EXPECT_GE(covered, 920);
  EXPECT_LE(covered, 985);
}

TEST(ProbabilityMetrics, HandComputed) {
  const std::vector<std::int32_t> truth = {0, 1, 1, 0};
  Matrix<double> p(4, 2);
  const double ones[] = {0.1, 0.8, 0.6, 0.0};
  for (Index i = 0; i < 4; ++i) {
    p(i, 1) = ones[i];
    p(i, 0) = 1 - ones[i];
  }
  const Metric loss = log_loss(truth, p.view());
  EXPECT_NEAR(loss.value, -(std::log(0.9) + std::log(0.8) + std::log(0.6) + std::log(1.0)) / 4, 1e-14);
  EXPECT_NEAR(loss.baseline, std::log(2.0), 1e-14);
  const Metric brier = brier_score(truth, p.view());
  EXPECT_NEAR(brier.value, (0.01 + 0.04 + 0.16 + 0) / 4, 1e-14);
  EXPECT_NEAR(brier.baseline, 0.25, 1e-14);
}

TEST(ProbabilityMetrics, CertainAndWrongIsFinite) {
  const std::vector<std::int32_t> truth = {0, -1};
  Matrix<double> p = Matrix<double>::filled(2, 3, 0);
  p(0, 1) = 1;
  p(1, 1) = 1;
  EXPECT_NEAR(log_loss(truth, p.view()).value, -std::log(1e-15), 1e-12);
  EXPECT_NEAR(brier_score(truth, p.view()).value, 1.5, 1e-14);  // (1 + 1) for the first, 1 for the unknown
}

}  // namespace
}  // namespace mercer
