#include "mercer/report/sections/calibration.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mercer/base/random.h"

namespace mercer {
namespace {

TEST(Calibration, BinsHoldEveryRowOnce) {
  RandomStream random(1, 0);
  const Index rows = 500;
  Matrix<double> probabilities(rows, 3);
  std::vector<std::int32_t> truth;
  for (Index i = 0; i < rows; ++i) {
    const double p = random.uniform();
    const double q = (1 - p) * random.uniform();
    probabilities(i, 0) = p;
    probabilities(i, 1) = q;
    probabilities(i, 2) = 1 - p - q;
    const double u = random.uniform();
    truth.push_back(u < p ? 0 : u < p + q ? 1 : 2);
  }
  const std::vector<Calibration> curves = calibration_curves({"a", "b", "c"}, truth, probabilities);
  ASSERT_EQ(curves.size(), 3U);
  for (Index c = 0; c < 3; ++c) {
    const Calibration& curve = curves[c];
    Index total = 0;
    double predicted = 0;
    double observed = 0;
    for (std::size_t b = 0; b < curve.count.size(); ++b) {
      const auto weight = static_cast<double>(curve.count[b]);
      if (curve.count[b] == 0) {
        EXPECT_TRUE(std::isnan(curve.predicted[b]));
        continue;
      }
      total += curve.count[b];
      predicted += weight * curve.predicted[b];
      observed += weight * curve.observed[b];
      EXPECT_NEAR(curve.observed[b], curve.predicted[b], 4.5 * std::sqrt(0.25 / weight));
    }
    double sum = 0;
    double hits = 0;
    for (Index i = 0; i < rows; ++i) {
      sum += probabilities(i, c);
      hits += truth[i] == c ? 1 : 0;
    }
    EXPECT_EQ(total, rows);
    EXPECT_NEAR(predicted, sum, 1e-9);
    EXPECT_NEAR(observed, hits, 1e-9);
  }
}

TEST(Calibration, TwoClassesHaveOneCurveAndOneIsInTheLastBin) {
  Matrix<double> probabilities(3, 2);
  const std::vector<double> second = {0, 1, 1};
  for (Index i = 0; i < 3; ++i) {
    probabilities(i, 1) = second[i];
    probabilities(i, 0) = 1 - probabilities(i, 1);
  }
  const std::vector<Calibration> curves = calibration_curves({"no", "yes"}, {0, 1, 0}, probabilities);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].name, "yes");
  EXPECT_EQ(curves[0].count, (std::vector<Index>{1, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(curves[0].observed.front(), 0);
  EXPECT_EQ(curves[0].observed.back(), 0.5);
  EXPECT_TRUE(std::isnan(curves[0].observed[4]));
}

TEST(Margins, EveryFiniteMarginIsCounted) {
  const std::vector<double> margins = {-1, 0, 0.5, 1, std::nan(""), 0.2};
  const std::vector<std::int32_t> truth = {0, 1, 1, 0, 1, -1};
  const auto histogram = margin_histogram({"a", "b"}, truth, margins, 4);
  ASSERT_TRUE(histogram);
  EXPECT_EQ(histogram->edges, (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(histogram->counts[0], (std::vector<Index>{1, 0, 0, 1}));
  EXPECT_EQ(histogram->counts[1], (std::vector<Index>{0, 0, 1, 1}));
  EXPECT_FALSE(margin_histogram({"a"}, {-1}, std::vector<double>{1}, 4));
}

TEST(Bins, AreOfWidthOneAroundASingleValue) {
  const std::vector<double> edges = equal_bins(3, 3, 2);
  EXPECT_EQ(edges, (std::vector<double>{2.5, 3, 3.5}));
  EXPECT_EQ(bin_of(edges, 3), 1);
  EXPECT_EQ(bin_of(edges, 3.5), 1);
  EXPECT_EQ(bin_of(edges, -7), 0);
}

}  // namespace
}  // namespace mercer
