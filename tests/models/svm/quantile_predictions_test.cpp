// The distribution that quantiles make: integrals of its density, the inverse of its distribution function, closed forms.
#include "mercer/models/svm/quantile_predictions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

QuantilePredictions of_quantiles(std::vector<double> levels, const std::vector<double>& values, double loss = 0) {
  Matrix<double> row(1, static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), row.data());
  return QuantilePredictions({.functions = std::move(row), .levels = std::move(levels), .losses = {loss}});
}

double density(const QuantilePredictions& of, double y) {
  return std::exp(of.log_density(Matrix<double>::filled(1, 1, y).view())(0, 0));
}

double quantile(const QuantilePredictions& of, double level) {
  const std::vector<double> levels = {level};
  return of.quantiles(levels, PredictionOf::observation)(0, 0);
}

struct Integrals {
  double total = 0;
  double mean = 0;
  double variance = 0;
};

// Midpoints, over all that the tails leave.
Integrals integrals(const QuantilePredictions& of) {
  const double low = quantile(of, 1e-9);
  const double high = quantile(of, 1 - 1e-9);
  constexpr int cells = 400000;
  const double width = (high - low) / cells;
  Integrals sums;
  double squares = 0;
  for (int c = 0; c < cells; ++c) {
    const double y = low + (c + 0.5) * width;
    const double p = density(of, y) * width;
    sums.total += p;
    sums.mean += p * y;
    squares += p * y * y;
  }
  sums.variance = squares - sums.mean * sums.mean;
  return sums;
}

TEST(QuantilePredictions, MomentsAreThoseOfTheDensity) {
  const QuantilePredictions several = of_quantiles({0.05, 0.25, 0.5, 0.95}, {-1, 0.5, 0.75, 4});
  const QuantilePredictions two = of_quantiles({0.3, 0.4}, {2, 2.5});
  const QuantilePredictions alone = of_quantiles({0.2}, {1.5}, 0.4);
  for (const QuantilePredictions* const each : {&several, &two, &alone}) {
    const QuantilePredictions& of = *each;
    const Integrals expected = integrals(of);
    EXPECT_NEAR(expected.total, 1, 1e-4);
    const PredictiveMoments moments = of.moments(PredictionOf::observation);
    EXPECT_NEAR(moments.mean(0, 0), expected.mean, 1e-3);
    EXPECT_NEAR(moments.variance(0, 0), expected.variance, 2e-3 * expected.variance);
  }
}

TEST(QuantilePredictions, QuantilesInvertTheDistribution) {
  const QuantilePredictions of = of_quantiles({0.05, 0.25, 0.5, 0.95}, {-1, 0.5, 0.75, 4});
  EXPECT_EQ(quantile(of, 0.25), 0.5);
  EXPECT_NEAR(quantile(of, 0.15), -0.25, 1e-14);
  EXPECT_NEAR(density(of, -0.3), 0.2 / 1.5, 1e-14);
  // s = 0.05 · 1.5 / 0.2: the density goes on.
  const double scale = 0.375;
  EXPECT_NEAR(density(of, -1 - 1e-9), 0.2 / 1.5, 1e-8);
  EXPECT_NEAR(quantile(of, 0.01), -1 + scale * std::log(0.2), 1e-14);
  EXPECT_NEAR(density(of, 4 + 1e-9), 0.45 / 3.25, 1e-8);
  EXPECT_NEAR(quantile(of, 0.99), 4 - 0.05 * 3.25 / 0.45 * std::log(0.2), 1e-12);
}

// Koenker & Machado's density: τ(1 − τ)/σ exp(−ρ_τ(y − q)/σ).
TEST(QuantilePredictions, OneLevelIsASkewedLaplace) {
  const double level = 0.2;
  const double sigma = 0.4;
  const QuantilePredictions of = of_quantiles({level}, {1.5}, sigma);
  for (const double y : {-3.0, 1.0, 1.5, 1.6, 9.0}) {
    const double r = y - 1.5;
    const double expected = level * (1 - level) / sigma * std::exp(-r * (r > 0 ? level : level - 1) / sigma);
    EXPECT_NEAR(density(of, y), expected, 1e-13 * expected);
  }
  EXPECT_EQ(quantile(of, level), 1.5);
}

TEST(QuantilePredictions, CrossingsArePutInOrder) {
  Matrix<double> row(1, 3);
  row(0, 0) = 2;
  row(0, 1) = 1;
  row(0, 2) = 5;
  for (const Crossing crossing : {Crossing::rearranged, Crossing::allowed}) {
    const QuantilePredictions of({.functions = Matrix<double>::copy_of(row.view()),
                                  .levels = {0.1, 0.5, 0.8},
                                  .middle = 1,
                                  .losses = {0},
                                  .crossing = crossing});
    const bool ordered = crossing == Crossing::rearranged;
    EXPECT_EQ(quantile(of, 0.1), ordered ? 1 : 2);
    EXPECT_EQ(quantile(of, (1 - 0.8) / 2), ordered ? 1 : 2);  // not quite 0.1: the limit of an interval
    EXPECT_EQ(of.predictions(PredictionOf::observation)(0, 0), ordered ? 2 : 1);
    EXPECT_NEAR(quantile(of, 0.3), 1.5, 1e-14);  // a distribution is in order whatever is shown
    EXPECT_NEAR(density(of, 3), 0.3 / 3, 1e-14);
  }
}

TEST(QuantilePredictions, EqualQuantilesAreAPoint) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const QuantilePredictions of = of_quantiles({0.1, 0.4, 0.5}, {1, 1, 3});
  EXPECT_EQ(density(of, 1), infinity);
  EXPECT_EQ(density(of, 0.999), 0);  // the lower tail is in the point as well
  EXPECT_NEAR(density(of, 2), 0.05, 1e-15);
  EXPECT_EQ(quantile(of, 0.01), 1);
  EXPECT_TRUE(std::isnan(density(of, std::nan(""))));
  const QuantilePredictions point = of_quantiles({0.5}, {3}, 0);
  EXPECT_EQ(point.moments(PredictionOf::observation).variance(0, 0), 0);
  EXPECT_EQ(density(point, 3), infinity);
  EXPECT_EQ(density(point, 3.1), 0);
}

TEST(QuantilePredictions, NothingIsKnownOfTheFunction) {
  const QuantilePredictions of = of_quantiles({0.5}, {3}, 1);
  const std::vector<double> levels = {0.5};
  EXPECT_ERROR(of.moments(PredictionOf::function), InvalidArgument, "not how sure it is of its functions");
  EXPECT_ERROR(of.quantiles(levels, PredictionOf::function), InvalidArgument, "not how sure it is of its functions");
}

}  // namespace
}  // namespace mercer
