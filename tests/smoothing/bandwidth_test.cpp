#include "mercer/smoothing/bandwidth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/smoothing/bandwidth_rules.h"
#include "mercer/smoothing/cross_validation.h"
#include "smoothing/density_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::normal_points;
using testing::sine_points;

BandwidthChoice chosen(BandwidthRule rule, const Matrix<double>& points, const std::vector<double>& weights = {},
                       BandwidthForm form = BandwidthForm::diagonal, SmoothingShape shape = SmoothingShape::gaussian) {
  return choose_bandwidth(rule, form, shape, points.view(), weights, {});
}

// Every row so many times.
Matrix<double> repeated(const Matrix<double>& points, const std::vector<double>& counts) {
  std::vector<double> values;
  for (Index i = 0; i < points.rows(); ++i) {
    for (int k = 0; k < static_cast<int>(counts[i]); ++k) {
      values.insert(values.end(), points.view().row_data(i), points.view().row_data(i) + points.columns());
    }
  }
  Matrix<double> result(static_cast<Index>(values.size()) / points.columns(), points.columns());
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

std::vector<double> counts_of_three(Index rows) {
  std::vector<double> counts;
  for (Index i = 0; i < rows; ++i) {
    counts.push_back(static_cast<double>(1 + i % 3));
  }
  return counts;
}

TEST(BandwidthTest, WhiteningIsUndoneByColoring) {
  Matrix<double> h(3, 3);
  const double entries[] = {2, 0.5, -0.3, 0.5, 1, 0.2, -0.3, 0.2, 0.7};
  std::copy_n(entries, 9, h.data());
  const Bandwidth full = Bandwidth::full(h.view());
  EXPECT_FALSE(full.is_diagonal());
  const Matrix<double> x = normal_points(5, 3, 1);
  Matrix<double> u = full.whiten(x.view());
  for (Index i = 0; i < 5; ++i) {
    full.color(u.view().row(i));
    for (Index j = 0; j < 3; ++j) {
      EXPECT_NEAR(u(i, j), x(i, j), 1e-14);
    }
  }
  for (Index a = 0; a < 3; ++a) {
    EXPECT_NEAR(full.width(a), std::sqrt(h(a, a)), 1e-15);
    for (Index b = 0; b < 3; ++b) {
      double product = 0;
      for (Index k = 0; k < 3; ++k) {
        product += full.factor()(a, k) * full.factor()(b, k);
      }
      EXPECT_NEAR(product, h(a, b), 1e-15);
    }
  }
  const double determinant = 2 * (0.7 - 0.04) - 0.5 * (0.35 + 0.06) - 0.3 * (0.1 + 0.3);
  EXPECT_NEAR(full.log_determinant(), std::log(determinant) / 2, 1e-14);
  EXPECT_NEAR(full.scaled(2).log_determinant(), full.log_determinant() + 3 * std::log(2), 1e-14);
  const Index axes[] = {2, 0};
  EXPECT_NEAR(full.marginal(axes).width(0), std::sqrt(0.7), 1e-15);
}

TEST(BandwidthTest, UnusableWidthsAreRefused) {
  EXPECT_ERROR(Bandwidth::scalar(0, 2), InvalidArgument, "bandwidth = 0");
  EXPECT_ERROR(Bandwidth::scalar(-1, 2), InvalidArgument, "bandwidth = -1");
  EXPECT_ERROR(Bandwidth::diagonal({1, std::numeric_limits<double>::quiet_NaN()}), InvalidArgument, "bandwidth = nan");
  EXPECT_ERROR(Bandwidth::full(Matrix<double>::filled(2, 2, 1.0).view()), NumericalError,
               "the bandwidth matrix is not positive definite");
}

// scipy.stats.gaussian_kde 1.17 on the same points.
TEST(BandwidthRulesTest, ScottAndSilvermanAreScipys) {
  const Matrix<double> x = sine_points(40, 1);
  EXPECT_NEAR(chosen(BandwidthRule::scott, x).bandwidth.width(0), 0.3442933441558639, 1e-14);
  EXPECT_NEAR(chosen(BandwidthRule::silverman, x).bandwidth.width(0), 0.3646837184443148, 1e-14);
  const Bandwidth full = chosen(BandwidthRule::silverman, sine_points(40, 2), {}, BandwidthForm::full).bandwidth;
  const double expected[] = {0.15158675407623012, 0.06923998902912906, 0.18419448737328326};
  EXPECT_NEAR(full.width(0) * full.width(0), expected[0], 1e-14);
  EXPECT_NEAR(full.factor()(1, 0) * full.factor()(0, 0), expected[1], 1e-14);
  EXPECT_NEAR(full.width(1) * full.width(1), expected[2], 1e-14);
}

TEST(BandwidthRulesTest, WeightsAreCopiesAndSharesAreShares) {
  const Matrix<double> x = sine_points(40, 1);
  const std::vector<double> counts = counts_of_three(40);
  EXPECT_NEAR(chosen(BandwidthRule::silverman, x, counts).bandwidth.width(0), 0.32099307566895124, 1e-14);
  std::vector<double> shares = counts;
  double total = 0;
  for (const double count : counts) {
    total += count;
  }
  for (double& share : shares) {
    share /= total;
  }
  EXPECT_NEAR(chosen(BandwidthRule::silverman, x, shares).bandwidth.width(0), 0.38296287625023817, 1e-14);
  const Matrix<double> copies = repeated(x, counts);
  for (const BandwidthRule rule : {BandwidthRule::scott, BandwidthRule::silverman, BandwidthRule::normal,
                                   BandwidthRule::likelihood, BandwidthRule::least_squares, BandwidthRule::isj}) {
    EXPECT_NEAR(chosen(rule, x, counts).bandwidth.width(0), chosen(rule, copies).bandwidth.width(0), 1e-9)
        << word_of(rule);
  }
}

TEST(BandwidthRulesTest, TheNormalRuleUsesTheMedianDeviation) {
  Matrix<double> x = sine_points(40, 1);
  EXPECT_NEAR(chosen(BandwidthRule::normal, x).bandwidth.width(0), 0.4983001386494778, 1e-14);
  const double before = chosen(BandwidthRule::normal, x).bandwidth.width(0);
  for (Index i = 0; i < 40; ++i) {
    x(i, 0) = x(i, 0) > 1.2 ? 1e9 : x(i, 0);
  }
  EXPECT_NEAR(chosen(BandwidthRule::normal, x).bandwidth.width(0), before, 1e-14);
  Matrix<double> mostly = Matrix<double>::filled(10, 1, 3.0);
  mostly(0, 0) = 4;
  const BandwidthChoice choice = chosen(BandwidthRule::normal, mostly);
  EXPECT_EQ(choice.notes.size(), 1U);
  EXPECT_NEAR(choice.bandwidth.width(0), chosen(BandwidthRule::silverman, mostly).bandwidth.width(0), 1e-15);
}

// KDEpy 1.1.12 on the same grid; it multiplies √t by the range of the data where t is in units of its grid, which is
// twice as long.
TEST(BandwidthRulesTest, ImprovedSheatherJonesIsKdepys) {
  std::vector<double> y;
  for (Index i = 0; i < 40; ++i) {
    y.push_back(100 * sine_points(40, 1)(i, 0));
  }
  std::vector<double> two = y;
  for (const double value : y) {
    two.push_back(value + 1000);
  }
  std::vector<double> z;
  for (int j = 0; j < 500; ++j) {
    z.push_back(50 * std::pow(std::sin(1.3 * j), 3) + (j % 4 == 0 ? 200 : 0) + 10 * std::cos(5.3 * j * j));
  }
  EXPECT_NEAR(improved_sheather_jones(y, {}, 1024), 50.41706923917728, 1e-6);
  EXPECT_NEAR(improved_sheather_jones(two, {}, 1024), 52.42779089702679, 1e-6);
  EXPECT_NEAR(improved_sheather_jones(z, {}, 1024), 5.591805749436832, 1e-6);
  EXPECT_NEAR(improved_sheather_jones(z, {}), 5.591805749436832, 0.02);
}

TEST(BandwidthRulesTest, ImprovedSheatherJonesFindsTheBestWidthOfNormalData) {
  const Matrix<double> x = normal_points(4000, 1, 91);
  const double width = chosen(BandwidthRule::isj, x).bandwidth.width(0);
  const double best = std::pow(4.0 / 3 / 4000, 0.2);
  EXPECT_NEAR(width, best, 0.15 * best);
  Matrix<double> scaled = normal_points(4000, 1, 91, 1e-3);
  EXPECT_NEAR(chosen(BandwidthRule::isj, scaled).bandwidth.width(0), 1e-3 * width, 1e-9);
}

double plain_score(BandwidthScore score, const Matrix<double>& x, double h) {
  const auto d = static_cast<double>(x.columns());
  const auto n = static_cast<double>(x.rows());
  const auto gaussian = [&](Index i, Index j, double width) {
    double squared = 0;
    for (Index k = 0; k < x.columns(); ++k) {
      squared += (x(i, k) - x(j, k)) * (x(i, k) - x(j, k));
    }
    return std::exp(-squared / (2 * width * width)) / std::pow(2 * std::numbers::pi * width * width, d / 2);
  };
  double likelihood = 0;
  double squares = 0;
  double cross = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    double without = 0;
    for (Index j = 0; j < x.rows(); ++j) {
      without += i == j ? 0 : gaussian(i, j, h) / (n - 1);
      squares += gaussian(i, j, h * std::numbers::sqrt2) / (n * n);
    }
    likelihood -= std::log(without) / n;
    cross += without / n;
  }
  return score == BandwidthScore::likelihood ? likelihood : squares - 2 * cross;
}

TEST(CrossValidationTest, LaddersAreThePlainScores) {
  for (const Index d : {1, 2, 3}) {
    const Matrix<double> x = normal_points(150, d, 40 + static_cast<std::uint64_t>(d));
    for (const BandwidthScore score : {BandwidthScore::likelihood, BandwidthScore::least_squares}) {
      const std::vector<double> scores = bandwidth_scores(score, x.view(), {}, 1.7, 5, {});
      for (std::size_t k = 0; k < 5; ++k) {
        const double plain = plain_score(score, x, 1.7 * std::pow(2.0, -static_cast<double>(k) / 2));
        EXPECT_NEAR(scores[k], plain, 1e-11 * (1 + std::abs(plain)));
      }
    }
  }
}

TEST(CrossValidationTest, TheSearchFindsTheSmallestScore) {
  for (const BandwidthScore score : {BandwidthScore::likelihood, BandwidthScore::least_squares}) {
    const Matrix<double> x = normal_points(100, 2, 51);
    const BandwidthSearch found = best_bandwidth_factor(score, x.view(), {}, {});
    double least = std::numeric_limits<double>::infinity();
    for (double h = 0.05; h < 3; h *= 1.04) {
      least = std::min(least, plain_score(score, x, h));
    }
    EXPECT_NEAR(found.score, plain_score(score, x, found.factor), 1e-11);
    EXPECT_LE(found.score, least + 3e-4 * std::abs(least));
  }
}

TEST(CrossValidationTest, FarOutliersDoNotBreakTheLikelihood) {
  Matrix<double> x = normal_points(100, 1, 52);
  x(7, 0) = 5000;
  const BandwidthChoice choice = chosen(BandwidthRule::likelihood, x);
  EXPECT_TRUE(std::isfinite(choice.criterion));
  EXPECT_GT(choice.bandwidth.width(0), 1);
  EXPECT_NEAR(chosen(BandwidthRule::least_squares, normal_points(100, 1, 52)).bandwidth.width(0), 0.4, 0.3);
}

TEST(BandwidthRulesTest, OtherShapesSmoothAlike) {
  const Matrix<double> x = sine_points(40, 2);
  const double gaussian = chosen(BandwidthRule::silverman, x).bandwidth.width(1);
  for (const SmoothingShape shape : smoothing_shapes) {
    const double ratio = SmoothingKernel(shape, 2).canonical_bandwidth() /
                         SmoothingKernel(SmoothingShape::gaussian, 2).canonical_bandwidth();
    EXPECT_NEAR(chosen(BandwidthRule::silverman, x, {}, BandwidthForm::diagonal, shape).bandwidth.width(1),
                gaussian * ratio, 1e-14);
  }
}

TEST(BandwidthRulesTest, WithoutSpreadThereIsAClearError) {
  Matrix<double> x = sine_points(20, 2);
  for (Index i = 0; i < 20; ++i) {
    x(i, 1) = 0.1;
  }
  for (const BandwidthRule rule : {BandwidthRule::scott, BandwidthRule::silverman, BandwidthRule::normal,
                                   BandwidthRule::likelihood, BandwidthRule::least_squares}) {
    EXPECT_ERROR(chosen(rule, x), DataError, "column 1") << word_of(rule);
    EXPECT_ERROR(chosen(rule, sine_points(1, 2)), DataError, "a bandwidth cannot be learnt from one sample");
    EXPECT_GT(chosen(rule, x, {}, BandwidthForm::scalar).bandwidth.width(0), 0);
  }
  EXPECT_ERROR(chosen(BandwidthRule::isj, x), InvalidArgument, "bandwidth = isj is a rule for one column");
  EXPECT_ERROR(chosen(BandwidthRule::isj, Matrix<double>::filled(5, 1, 2.0)), DataError,
               "column 0 (counted from 0) has the same value everywhere");
}

TEST(BandwidthRulesTest, QuantilesOfCopies) {
  const std::vector<double> x = {3, 1, 2, 10};
  EXPECT_NEAR(weighted_quantile(x, {}, 0.5), 2.5, 1e-15);
  EXPECT_NEAR(weighted_quantile(x, {}, 0.25), 1.75, 1e-15);
  EXPECT_NEAR(weighted_quantile(x, {}, 1), 10, 1e-15);
  EXPECT_NEAR(weighted_quantile(x, {1, 1, 1, 0}, 0.5), 2, 1e-15);
  EXPECT_NEAR(weighted_quantile(x, {1, 4, 1, 1}, 0.5), weighted_quantile({1, 1, 1, 1, 2, 3, 10}, {}, 0.5), 1e-15);
  EXPECT_NEAR(weighted_quantile(x, {2, 2, 3, 1}, 0.6), weighted_quantile({1, 1, 2, 2, 2, 3, 3, 10}, {}, 0.6), 1e-14);
}

}  // namespace
}  // namespace mercer
