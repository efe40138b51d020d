// ROC and precision-recall curves against counting pairs and thresholds.
#include "mercer/report/sections/classification_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mercer/base/random.h"

namespace mercer {
namespace {

struct Scored {
  std::vector<char> positive;
  std::vector<double> scores;
};

// Scores on a coarse grid: many ties.
Scored random_scores(Index rows, std::uint64_t seed, int grid) {
  RandomStream random(seed, 3);
  Scored result;
  for (Index i = 0; i < rows; ++i) {
    const bool positive = random.uniform() < 0.4;
    result.positive.push_back(positive ? 1 : 0);
    result.scores.push_back(std::floor(grid * random.uniform()) + (positive ? grid / 3 : 0));
  }
  return result;
}

TEST(RocCurve, AreaCountsPairs) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Scored data = random_scores(150, seed, 20);
    double wins = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
      for (std::size_t j = 0; j < data.scores.size(); ++j) {
        if (data.positive[i] != 0 && data.positive[j] == 0) {
          pairs += 1;
          wins += data.scores[i] > data.scores[j] ? 1 : data.scores[i] == data.scores[j] ? 0.5 : 0;
        }
      }
    }
    EXPECT_NEAR(roc_curve(data.positive, data.scores).area, wins / pairs, 1e-12);
  }
}

TEST(PrecisionRecall, AverageCountsThresholds) {
  const Scored data = random_scores(200, 4, 15);
  const std::set<double, std::greater<>> thresholds(data.scores.begin(), data.scores.end());
  const double all = static_cast<double>(std::count(data.positive.begin(), data.positive.end(), 1));
  double average = 0;
  double before = 0;
  for (const double threshold : thresholds) {
    double hits = 0;
    double taken = 0;
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
      taken += data.scores[i] >= threshold ? 1 : 0;
      hits += data.scores[i] >= threshold && data.positive[i] != 0 ? 1 : 0;
    }
    average += (hits / all - before) * hits / taken;
    before = hits / all;
  }
  EXPECT_NEAR(precision_recall_curve(data.positive, data.scores).average, average, 1e-12);
}

TEST(RocCurve, LongCurvesAreThinnedAndKeepTheirEnds) {
  const Scored data = random_scores(20000, 5, 1000000);
  const RocCurve curve = roc_curve(data.positive, data.scores);
  EXPECT_LE(curve.false_positive_rate.size(), 205U);
  EXPECT_GE(curve.false_positive_rate.size(), 100U);
  EXPECT_EQ(curve.false_positive_rate.front(), 0);
  EXPECT_EQ(curve.true_positive_rate.front(), 0);
  EXPECT_EQ(curve.false_positive_rate.back(), 1);
  EXPECT_EQ(curve.true_positive_rate.back(), 1);
  EXPECT_TRUE(std::is_sorted(curve.false_positive_rate.begin(), curve.false_positive_rate.end()));
  EXPECT_TRUE(std::is_sorted(curve.true_positive_rate.begin(), curve.true_positive_rate.end()));
  // The thinned curve is still the curve: its area by trapezoids is that of all thresholds.
  double area = 0;
  for (std::size_t k = 1; k < curve.false_positive_rate.size(); ++k) {
    area += (curve.false_positive_rate[k] - curve.false_positive_rate[k - 1]) *
            (curve.true_positive_rate[k] + curve.true_positive_rate[k - 1]) / 2;
  }
  EXPECT_NEAR(area, curve.area, 1e-3);
}

TEST(RocCurve, OneKindOnlyHasNoCurve) {
  const std::vector<char> ones(5, 1);
  const std::vector<double> scores = {1, 2, 3, 4, 5};
  EXPECT_TRUE(std::isnan(roc_curve(ones, scores).area));
  EXPECT_TRUE(roc_curve(ones, scores).true_positive_rate.empty());
  EXPECT_TRUE(std::isnan(precision_recall_curve(ones, scores).average));
  EXPECT_TRUE(std::isnan(roc_curve({}, {}).area));
}

TEST(ClassCurves, TwoClassesHaveOneCurveAndManyAreCut) {
  const std::vector<std::string> two = {"no", "yes"};
  Matrix<double> scores(4, 2);
  for (Index i = 0; i < 4; ++i) {
    scores(i, 0) = -static_cast<double>(i);
    scores(i, 1) = static_cast<double>(i);
  }
  const std::vector<ClassCurves> curves = class_curves(two, {0, 0, 1, 1}, scores);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].name, "yes");
  EXPECT_EQ(curves[0].roc.area, 1);
  EXPECT_EQ(curves[0].precision_recall.average, 1);
  // The two most frequent of three.
  const std::vector<std::string> three = {"a", "b", "c"};
  const std::vector<std::int32_t> truth = {0, 1, 1, 2, 2, 2, -1};
  const std::vector<ClassCurves> some = class_curves(three, truth, Matrix<double>::filled(7, 3, 0.5), 2);
  ASSERT_EQ(some.size(), 2U);
  EXPECT_EQ(some[0].name, "b");
  EXPECT_EQ(some[1].name, "c");
  EXPECT_EQ(some[0].roc.area, 0.5);
}

}  // namespace
}  // namespace mercer
