// Class densities and thresholds of discriminant values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/models/discriminant/kfd_densities.h"
#include "mercer/models/discriminant/kfd_threshold.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct Values {
  Matrix<double> values;
  ClassRows rows;
  std::span<const double> column() const { return {values.data(), static_cast<std::size_t>(values.rows())}; }
};

Values gaussian_values(Index n, double share, double low_deviation, double high_deviation, std::uint64_t seed) {
  RandomStream random(seed, 1);
  Matrix<double> values(n, 1);
  std::vector<std::int32_t> classes;
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) {
    const bool high = i < 2 ? i == 1 : random.uniform() < share;
    classes.push_back(high ? 1 : 0);
    weights.push_back(0.5 + random.uniform());
    values(i, 0) = high ? 1 + high_deviation * random.normal() : -1 + low_deviation * random.normal();
  }
  return {std::move(values), ClassRows(classes, weights)};
}

TEST(KfdDensities, TwoClassesHaveUnbiasedVariances) {
  const Matrix<double> values =
      Matrix<double>::copy_of(ConstMatrixView<double>(std::vector<double>{-2, -1, 0, 1, 2, 6}.data(), 6, 1));
  const ClassRows rows({0, 0, 0, 1, 1, 1}, {1, 1, 1, 1, 1, 1});
  const std::vector<double> priors = {1, 3};
  const auto densities = ClassDensities::fit(values.view(), rows, priors, mercer::Run());
  EXPECT_DOUBLE_EQ(densities.means()(0, 0), -1);
  EXPECT_DOUBLE_EQ(densities.means()(1, 0), 3);
  EXPECT_DOUBLE_EQ(densities.spread()(0, 0), 1);
  EXPECT_DOUBLE_EQ(densities.spread()(1, 0), std::sqrt(7.0));
  for (const double q : {-3.0, 0.0, 0.7, 5.0}) {
    const double a = 0.25 * std::exp(-0.5 * (q + 1) * (q + 1));
    const double b = 0.75 * std::exp(-0.5 * (q - 3) * (q - 3) / 7) / std::sqrt(7.0);
    const Matrix<double> p = densities.probabilities(ConstMatrixView<double>(&q, 1, 1));
    EXPECT_NEAR(p(0, 1), b / (a + b), 1e-12);
    EXPECT_NEAR(p(0, 0) + p(0, 1), 1, 1e-15);
  }
  // Far out the wider class wins on both sides, and nothing is 0/0.
  for (const double q : {-1e3, 1e3, -1e160, 1e160, 1e300}) {
    const Matrix<double> p = densities.probabilities(ConstMatrixView<double>(&q, 1, 1));
    EXPECT_TRUE(p(0, 1) >= 0.5 && p(0, 1) < 1) << q;
  }
}

TEST(KfdDensities, EqualVariancesGiveALogistic) {
  Matrix<double> means(2, 1);
  means(0, 0) = -0.5;
  means(1, 0) = 1.5;
  const ClassDensities densities(std::move(means), Matrix<double>::filled(2, 1, 0.8), {std::log(0.5), std::log(0.5)});
  for (const double q : {-2.0, 0.5, 1.1}) {
    const Matrix<double> p = densities.probabilities(ConstMatrixView<double>(&q, 1, 1));
    EXPECT_NEAR(p(0, 1), 1 / (1 + std::exp(-2 / 0.64 * (q - 0.5))), 1e-12);
  }
}

TEST(KfdDensities, SeveralClassesShareACovariance) {
  RandomStream random(5, 1);
  const Index n = 60;
  Matrix<double> values(n, 2);
  std::vector<std::int32_t> classes;
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) {
    classes.push_back(static_cast<std::int32_t>(i % 3));
    weights.push_back(0.5 + random.uniform());
    values(i, 0) = static_cast<double>(i % 3) + random.normal();
    values(i, 1) = 0.5 * values(i, 0) + random.normal();
  }
  const ClassRows rows(classes, weights);
  const auto densities = ClassDensities::fit(values.view(), rows, std::vector<double>{1, 2, 1}, mercer::Run());
  double c[3] = {0, 0, 0};  // xx, xy, yy
  const Matrix<double> means = rows.class_means(values.view());
  for (Index i = 0; i < n; ++i) {
    const double x = values(i, 0) - means(i % 3, 0);
    const double y = values(i, 1) - means(i % 3, 1);
    const double w = weights[i] / (rows.total() - 3);
    c[0] += w * x * x;
    c[1] += w * x * y;
    c[2] += w * y * y;
  }
  const double determinant = c[0] * c[2] - c[1] * c[1];
  const std::vector<double> point = {0.3, -0.4};
  double joint[3];
  double sum = 0;
  for (Index q = 0; q < 3; ++q) {
    const double x = point[0] - means(q, 0);
    const double y = point[1] - means(q, 1);
    joint[q] = (q == 1 ? 2 : 1) * std::exp(-0.5 * (c[2] * x * x - 2 * c[1] * x * y + c[0] * y * y) / determinant);
    sum += joint[q];
  }
  const Matrix<double> p = densities.probabilities(ConstMatrixView<double>(point.data(), 1, 2));
  Index best = 0;
  for (Index q = 0; q < 3; ++q) {
    EXPECT_NEAR(p(0, q), joint[q] / sum, 1e-5);  // the floor of deviations
    best = joint[q] > joint[best] ? q : best;
  }
  EXPECT_EQ(densities.most_probable(point), best);
}

TEST(KfdDensities, FloorsAndFallbacks) {
  const Matrix<double> same =
      Matrix<double>::copy_of(ConstMatrixView<double>(std::vector<double>{-1, -1, 1, 1}.data(), 4, 1));
  const ClassRows rows({0, 0, 1, 1}, {1, 1, 1, 1});
  const auto tight = ClassDensities::fit(same.view(), rows, std::vector<double>{1, 1}, mercer::Run());
  EXPECT_DOUBLE_EQ(tight.spread()(0, 0), 2e-3);
  // A single row takes the common variance.
  const Matrix<double> three =
      Matrix<double>::copy_of(ConstMatrixView<double>(std::vector<double>{-2, 0, 1}.data(), 3, 1));
  const auto lone =
      ClassDensities::fit(three.view(), ClassRows({0, 0, 1}, {1, 1, 1}), std::vector<double>{1, 1}, mercer::Run());
  EXPECT_DOUBLE_EQ(lone.spread()(0, 0), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(lone.spread()(1, 0), std::sqrt(2.0));
  EXPECT_ERROR(ClassDensities(Matrix<double>::filled(2, 1, 0.0), Matrix<double>::filled(2, 1, 0.0), {0, 0}),
               InvalidArgument, "class densities need one mean and prior per class");
  EXPECT_ERROR(ClassDensities(Matrix<double>::filled(2, 2, 0.0), Matrix<double>::filled(2, 1, 1.0), {0, 0}),
               InvalidArgument, "class densities need one mean and prior per class");
  EXPECT_ERROR(ClassDensities(Matrix<double>::filled(2, 1, std::numeric_limits<double>::quiet_NaN()),
                              Matrix<double>::filled(2, 1, 1.0), {0, 0}),
               InvalidArgument, "class densities need one mean and prior per class");
}

ClassDensities densities_of(const Values& v) {
  return ClassDensities::fit(v.values.view(), v.rows, std::vector<double>{v.rows.total(0), v.rows.total(1)},
                             mercer::Run());
}

TEST(KfdThreshold, LeastSquaresIsTheZeroOfTheRegression) {
  const Values v = gaussian_values(80, 0.3, 0.7, 1.1, 6);
  const double cut = discriminant_threshold(KfdThreshold::least_squares, v.column(), v.rows, densities_of(v));
  // Normal equations of y = s q + b at the cut's line: search s on a grid-free way, by two sums.
  double sums[5] = {0, 0, 0, 0, 0};  // w, wq, wqq, wy, wqy
  for (Index i = 0; i < 80; ++i) {
    const double w = v.rows.weight(i);
    const double q = v.values(i, 0);
    const double y = v.rows.class_of(i) == 1 ? 1 : -1;
    sums[0] += w;
    sums[1] += w * q;
    sums[2] += w * q * q;
    sums[3] += w * y;
    sums[4] += w * q * y;
  }
  const double determinant = sums[0] * sums[2] - sums[1] * sums[1];
  const double slope = (sums[0] * sums[4] - sums[1] * sums[3]) / determinant;
  const double offset = (sums[2] * sums[3] - sums[1] * sums[4]) / determinant;
  EXPECT_NEAR(slope * cut + offset, 0, 1e-12);
  EXPECT_GT(cut, 0);  // the larger class has the larger half
}

TEST(KfdThreshold, SvmMinimizesTheHingeLosses) {
  for (const Index n : {10, 61}) {
    const Values v = gaussian_values(n, 0.4, 0.9, 0.9, 7);
    const double cut = discriminant_threshold(KfdThreshold::svm, v.column(), v.rows, densities_of(v));
    const auto objective = [&](double s, double b) {
      double sum = 0.5 * s * s;
      for (Index i = 0; i < n; ++i) {
        const double y = v.rows.class_of(i) == 1 ? 1 : -1;
        sum += v.rows.weight(i) * std::max(0.0, 1 - y * (s * v.values(i, 0) + b));
      }
      return sum;
    };
    // The best line through the cut against the best of a grid over all lines.
    double through = 1e300;
    double any = 1e300;
    for (double s = 0.01; s < 6; s += 0.01) {
      through = std::min(through, objective(s, -s * cut));
      for (double t = -2; t < 2; t += 0.05) {
        any = std::min(any, objective(s, -s * t));
      }
    }
    EXPECT_LE(through, any * (1 + 1e-4)) << n;
  }
}

TEST(KfdThreshold, BayesIsWhereProbabilitiesAreEqual) {
  for (const double deviation : {0.5, 0.8, 1.6}) {
    const Values v = gaussian_values(200, 0.35, 0.8, deviation, 8);
    const ClassDensities densities = densities_of(v);
    const double cut = discriminant_threshold(KfdThreshold::bayes, v.column(), v.rows, densities);
    const auto odds = [&](double q) {
      const Matrix<double> p = densities.probabilities(ConstMatrixView<double>(&q, 1, 1));
      return p(0, 1) - p(0, 0);
    };
    EXPECT_NEAR(odds(cut), 0, 1e-9) << deviation;
    EXPECT_LT(odds(cut - 0.01), 0);
    EXPECT_GT(odds(cut + 0.01), 0);
  }
}

TEST(KfdThreshold, BayesIsTheMostProbableClassOnBothSidesOfTheNarrowOne) {
  Matrix<double> means(2, 1);
  means(0, 0) = 0;
  means(1, 0) = 1;
  Matrix<double> spread(2, 1);
  spread(0, 0) = 0.1;
  spread(1, 0) = 1;
  const ClassDensities densities(std::move(means), std::move(spread), {std::log(0.5), std::log(0.5)});
  for (double q = -8; q <= 8; q += 0.01) {
    const double narrow = -0.5 * q * q / 0.01 - std::log(0.1);
    const double wide = -0.5 * (q - 1) * (q - 1);
    const std::vector<double> values = {q};
    EXPECT_EQ(discriminant_class(KfdThreshold::bayes, values, densities), wide > narrow ? 1 : 0) << q;
    EXPECT_EQ(discriminant_class(KfdThreshold::least_squares, values, densities), q > 0 ? 1 : 0) << q;
  }
}

TEST(KfdThreshold, MidpointAndHopelessValues) {
  const Values v = gaussian_values(50, 0.5, 1, 1, 9);
  const ClassDensities densities = densities_of(v);
  EXPECT_DOUBLE_EQ(discriminant_threshold(KfdThreshold::midpoint, v.column(), v.rows, densities),
                   (densities.means()(0, 0) + densities.means()(1, 0)) / 2);
  EXPECT_EQ(discriminant_threshold(KfdThreshold::automatic, v.column(), v.rows, densities),
            discriminant_threshold(KfdThreshold::least_squares, v.column(), v.rows, densities));
  // Values that say nothing: all rows go to the larger class.
  const Matrix<double> turned =
      Matrix<double>::copy_of(ConstMatrixView<double>(std::vector<double>{1, 1.2, 0.8, -1, 0}.data(), 5, 1));
  const Values hopeless{Matrix<double>::copy_of(turned.view()), ClassRows({0, 0, 0, 1, 1}, {1, 1, 1, 1, 1})};
  const double cut =
      discriminant_threshold(KfdThreshold::least_squares, hopeless.column(), hopeless.rows, densities_of(hopeless));
  EXPECT_GT(cut, 1.2);
  EXPECT_TRUE(std::isfinite(cut));
}

}  // namespace
}  // namespace mercer
