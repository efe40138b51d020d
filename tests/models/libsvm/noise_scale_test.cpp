// The scale of Laplace noise and the marks of one-class probabilities.
#include "mercer/models/libsvm/noise_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

TEST(LaplaceScale, IsTheMeanAbsoluteResidual) {
  EXPECT_DOUBLE_EQ(laplace_scale(std::vector<double>{1, -2, 3}), 2);
  EXPECT_DOUBLE_EQ(laplace_scale(std::vector<double>{0, 0}), 0);
  EXPECT_ERROR(laplace_scale({}), InvalidArgument, "the scale of noise needs at least one residual");
}

TEST(LaplaceScale, LeavesOutWhatIsBeyondFiveDeviations) {
  std::vector<double> residuals(99, 1.0);
  residuals.push_back(-1000.0);  // the mean is 10.99, five deviations are 77.7
  EXPECT_DOUBLE_EQ(laplace_scale(residuals), 1);
  residuals.back() = 7.0;  // the mean is 1.06: 7 is within 7.5
  EXPECT_DOUBLE_EQ(laplace_scale(residuals), 1.06);
}

TEST(LaplaceScale, RecoversTheScaleOfLaplaceNoise) {
  std::mt19937 random(1);
  std::exponential_distribution<double> exponential(1 / 2.5);
  std::vector<double> residuals;
  for (int i = 0; i < 100000; ++i) {
    residuals.push_back((i % 2 == 0 ? 1 : -1) * exponential(random));
  }
  EXPECT_NEAR(laplace_scale(residuals), 2.5, 0.04);
}

// Bins of equal count: each tenth of the marks holds the same share of its side.
TEST(OneClassMarks, CutEachSideIntoBinsOfEqualCount) {
  std::vector<double> decisions;
  for (int i = -100; i < 400; ++i) {
    decisions.push_back((i + 0.5) / 100);
  }
  std::shuffle(decisions.begin(), decisions.end(), std::mt19937(3));
  const auto marks = one_class_marks(decisions);
  ASSERT_TRUE(marks);
  ASSERT_EQ(marks->size(), 10U);
  EXPECT_TRUE(std::is_sorted(marks->begin(), marks->end()));
  EXPECT_LT((*marks)[4], 0);
  EXPECT_GT((*marks)[5], 0);
  for (std::size_t m = 1; m < 10; ++m) {
    const auto between = std::count_if(decisions.begin(), decisions.end(),
                                       [&](double value) { return value >= (*marks)[m - 1] && value < (*marks)[m]; });
    if (m != 5) {  // that bin holds half of either side's share
      EXPECT_NEAR(static_cast<double>(between), m < 5 ? 20 : 80, 2) << m;
    }
  }
}

TEST(OneClassMarks, NeedFiveOnEitherSide) {
  const std::vector<double> few = {-4, -3, -2, -1, 1, 2, 3, 4, 5};
  EXPECT_FALSE(one_class_marks(few));
  EXPECT_FALSE(one_class_marks({}));
  const std::vector<double> enough = {-5, -4, -3, -2, -1, 0, 1, 2, 3, 4};
  const auto marks = one_class_marks(enough);
  ASSERT_TRUE(marks);
  EXPECT_EQ(*marks, (std::vector<double>{-4.5, -3.5, -2.5, -1.5, -0.5, 0, 0.5, 1.5, 2.5, 3.5}));
}

TEST(OneClassProbability, StepsUpFromMarkToMark) {
  const std::vector<double> marks = {-5, -4, -3, -2, -1, 1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(one_class_probability(marks, -6), 0.001);
  EXPECT_DOUBLE_EQ(one_class_probability(marks, -5), 0.1);
  EXPECT_DOUBLE_EQ(one_class_probability(marks, -1.5), 0.4);
  EXPECT_DOUBLE_EQ(one_class_probability(marks, 0), 0.5);
  EXPECT_DOUBLE_EQ(one_class_probability(marks, 4.5), 0.9);
  EXPECT_DOUBLE_EQ(one_class_probability(marks, 5), 0.9);
  EXPECT_DOUBLE_EQ(one_class_probability(marks, 6), 0.999);
}

}  // namespace
}  // namespace mercer
