#include "mercer/smoothing/conditional_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "mercer/base/error.h"
#include "smoothing/density_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::normal_points;
using testing::positive_values;

// P(t ≤ x | held) for several x, t the last column and all others held: sums of p over a fine grid, over their total.
std::vector<double> conditional_shares(const KernelDensity& density, const HeldColumns& held,
                                       const std::vector<double>& x) {
  constexpr Index steps = 8000;
  constexpr double low = -12;
  constexpr double step = 24.0 / steps;
  Matrix<double> rows(steps, density.dimension());
  for (Index k = 0; k < steps; ++k) {
    for (std::size_t g = 0; g < held.columns.size(); ++g) {
      rows(k, held.columns[g]) = held.values[g];
    }
    rows(k, density.dimension() - 1) = low + (static_cast<double>(k) + 0.5) * step;
  }
  const std::vector<double> logs = density.log_density(rows.view(), mercer::Run{});
  std::vector<double> shares(x.size(), 0.0);
  double total = 0;
  for (Index k = 0; k < steps; ++k) {
    const double value = std::exp(logs[k]);
    total += value;
    for (std::size_t q = 0; q < x.size(); ++q) {
      shares[q] += rows(k, density.dimension() - 1) <= x[q] ? value : 0;
    }
  }
  for (double& share : shares) {
    share /= total;
  }
  return shares;
}

// The largest distance between the shares of draws below some values and what they should be.
double worst_share(const KernelDensity& density, const HeldColumns& held, const Matrix<double>& draws) {
  const std::vector<double> places = {-1.2, -0.3, 0.1, 0.8, 1.9};
  const std::vector<double> wanted = conditional_shares(density, held, places);
  double worst = 0;
  for (std::size_t q = 0; q < places.size(); ++q) {
    Index below = 0;
    for (Index i = 0; i < draws.rows(); ++i) {
      below += draws(i, draws.columns() - 1) <= places[q] ? 1 : 0;
    }
    worst = std::max(worst, std::abs(static_cast<double>(below) / static_cast<double>(draws.rows()) - wanted[q]));
  }
  return worst;
}

constexpr Index many = 20000;
// Five standard deviations of a share.
const double allowed = 2.5 / std::sqrt(static_cast<double>(many));

TEST(ConditionalDrawsTest, FollowTheConditionalDensityOfEveryShape) {
  for (const SmoothingShape shape : smoothing_shapes) {
    const KernelDensity density({.shape = shape,
                                 .points = normal_points(40, 3, 5),
                                 .weights = positive_values(40, 6),
                                 .scales = positive_values(40, 7),
                                 .bandwidth = Bandwidth::diagonal({0.9, 1.1, 0.7})});
    const HeldColumns held{{1, 0}, {0.4, -0.3}};
    const Matrix<double> draws = draw_given(density, held, many, mercer::Run{});
    EXPECT_LT(worst_share(density, held, draws), allowed) << word_of(shape);
    for (Index i = 0; i < draws.rows(); ++i) {
      ASSERT_EQ(draws(i, 1), 0.4);
      ASSERT_EQ(draws(i, 0), -0.3);
    }
  }
}

TEST(ConditionalDrawsTest, FollowFullBandwidthsAndStepsFarAway) {
  Matrix<double> h(2, 2);
  h(0, 0) = 0.5;
  h(0, 1) = h(1, 0) = 0.45;
  h(1, 1) = 0.6;
  for (const SmoothingShape shape : {SmoothingShape::gaussian, SmoothingShape::triangle, SmoothingShape::exponential}) {
    const KernelDensity density(
        {.shape = shape, .points = normal_points(30, 2, 8), .bandwidth = Bandwidth::full(h.view())});
    const HeldColumns held{{0}, {0.9}};
    EXPECT_LT(worst_share(density, held, draw_given(density, held, many, mercer::Run{})), allowed) << word_of(shape);
  }
  // One point: a normal with the mean and variance of the textbook, wherever it is held.
  Matrix<double> one = Matrix<double>::filled(1, 2, 1.0);
  const KernelDensity normal({.points = std::move(one), .bandwidth = Bandwidth::full(h.view())});
  const Matrix<double> draws = draw_given(normal, {{0}, {1001.0}}, many, mercer::Run{});
  double mean = 0;
  double squares = 0;
  for (Index i = 0; i < many; ++i) {
    mean += draws(i, 1) / many;
  }
  for (Index i = 0; i < many; ++i) {
    squares += (draws(i, 1) - mean) * (draws(i, 1) - mean) / many;
  }
  const double variance = 0.6 - 0.45 * 0.45 / 0.5;
  EXPECT_NEAR(mean, 1 + 0.45 / 0.5 * 1000, 5 * std::sqrt(variance / many));
  EXPECT_NEAR(squares, variance, 5 * variance * std::sqrt(2.0 / many));
}

// A full bandwidth is a turn of a diagonal one: the held column of an elliptic kernel moves the others along.
TEST(ConditionalDrawsTest, EllipticKernelsOfOnePointAreSlices) {
  Matrix<double> h(2, 2);
  h(0, 0) = 1;
  h(0, 1) = h(1, 0) = 0.8;
  h(1, 1) = 1;
  const KernelDensity disc({.shape = SmoothingShape::boxcar,
                            .points = Matrix<double>::filled(1, 2, 0.0),
                            .bandwidth = Bandwidth::full(h.view())});
  const Matrix<double> draws = draw_given(disc, {{0}, {0.6}}, many, mercer::Run{});
  double lowest = 10;
  double highest = -10;
  for (Index i = 0; i < many; ++i) {
    lowest = std::min(lowest, draws(i, 1));
    highest = std::max(highest, draws(i, 1));
  }
  // x1 = 0.8 x0 ± 0.6 √(1 − x0²), uniform between.
  EXPECT_NEAR(lowest, 0.48 - 0.48, 1e-3);
  EXPECT_GE(lowest, 0);
  EXPECT_NEAR(highest, 0.48 + 0.48, 1e-3);
  EXPECT_LE(highest, 0.96 + 1e-12);
}

TEST(ConditionalDrawsTest, EndsAndCirclesCountOnBothSides) {
  Matrix<double> points(3, 2);
  const double values[] = {0.1, 0.2, 5.9, 2.0, 3.0, 0.3};
  std::copy_n(values, 6, points.data());
  std::vector<AxisBounds> bounds(2);
  bounds[0].period = 6;
  bounds[1].lower = 0;
  const KernelDensity density({.points = std::move(points),
                               .weights = {1, 2, 1},
                               .bandwidth = Bandwidth::diagonal({0.5, 0.8}),
                               .bounds = bounds});
  const HeldColumns held{{0}, {12.05}};  // twice around
  const Matrix<double> draws = draw_given(density, held, many, mercer::Run{});
  for (Index i = 0; i < many; ++i) {
    ASSERT_GE(draws(i, 1), 0);
  }
  EXPECT_LT(worst_share(density, held, draws), allowed);
}

TEST(ConditionalDrawsTest, NothingHeldIsADrawAndSeedsAreAll) {
  const KernelDensity density({.points = normal_points(20, 2, 9), .bandwidth = Bandwidth::scalar(0.4, 2)});
  mercer::Run run;
  const Matrix<double> plain = density.draw(50, run);
  const Matrix<double> same = draw_given(density, {}, 50, run);
  const Matrix<double> once = draw_given(density, {{1}, {0.2}}, 50, run);
  const Matrix<double> again = draw_given(density, {{1}, {0.2}}, 50, run);
  for (Index k = 0; k < 100; ++k) {
    EXPECT_EQ(plain.data()[k], same.data()[k]);
    EXPECT_EQ(once.data()[k], again.data()[k]);
  }
  EXPECT_EQ(draw_given(density, {}, 0, run).rows(), 0);
}

TEST(ConditionalDrawsTest, ImpossibleAsksAreRefused) {
  const KernelDensity density({.shape = SmoothingShape::epanechnikov,
                               .points = normal_points(20, 2, 9),
                               .bandwidth = Bandwidth::scalar(0.4, 2)});
  const mercer::Run run;
  EXPECT_ERROR(draw_given(density, {{0}, {50}}, 1, run), DataError,
               "the density is 0 at the values that columns are held at");
  EXPECT_ERROR(draw_given(density, {{2}, {0}}, 1, run), InvalidArgument,
               "columns that are held must be different ones between 0 and 1");
  EXPECT_ERROR(draw_given(density, {{-1}, {0}}, 1, run), InvalidArgument,
               "columns that are held must be different ones between 0 and 1");
  EXPECT_ERROR(draw_given(density, {{0, 0}, {0, 0}}, 1, run), InvalidArgument,
               "columns that are held must be different ones between 0 and 1");
  EXPECT_ERROR(draw_given(density, {{0, 1}, {0, 0}}, 1, run), InvalidArgument, "all columns of the density are held");
  EXPECT_ERROR(draw_given(density, {{0}, {}}, 1, run), InvalidArgument, "0 values for 1 columns that are held");
  EXPECT_ERROR(draw_given(density, {{0}, {std::nan("")}}, 1, run), InvalidArgument, "column 0 is held at nan");
}

TEST(ConditionalDrawsTest, HistogramsGiveWhatTheirCellsHold) {
  HistogramDensity density({{0, 1, 3}, {0, 2, 4, 8}});
  Matrix<double> points(4, 2);
  const double values[] = {0.5, 1, 0.5, 5, 2, 3, 2, 7};
  std::copy_n(values, 8, points.data());
  density.add(points.view(), std::vector<double>{1, 3, 4, 2});
  const mercer::Run run;
  const auto share = [&](const Matrix<double>& draws, double low, double high) {
    Index inside = 0;
    for (Index i = 0; i < draws.rows(); ++i) {
      inside += draws(i, 1) >= low && draws(i, 1) < high ? 1 : 0;
    }
    return static_cast<double>(inside) / static_cast<double>(draws.rows());
  };
  const Matrix<double> all = draw_given(density, {}, many, run);
  EXPECT_NEAR(share(all, 0, 2), 0.1, allowed);
  EXPECT_NEAR(share(all, 2, 4), 0.4, allowed);
  EXPECT_NEAR(share(all, 4, 6), 0.25, allowed);  // half of a cell
  const Matrix<double> first = draw_given(density, {{0}, {0.3}}, many, run);
  EXPECT_NEAR(share(first, 0, 2), 0.25, allowed);
  EXPECT_EQ(share(first, 2, 4), 0);
  EXPECT_EQ(first(7, 0), 0.3);
  EXPECT_NEAR(share(draw_given(density, {{0}, {3}}, many, run), 2, 4), 2.0 / 3, allowed);  // the last edge
  EXPECT_ERROR(draw_given(density, {{0}, {-0.1}}, 1, run), DataError,
               "the density is 0 at the values that columns are held at");
  EXPECT_ERROR(draw_given(density, {{1}, {9}}, 1, run), DataError,
               "the density is 0 at the values that columns are held at");
  EXPECT_ERROR(draw_given(HistogramDensity({{0, 1}}), {}, 1, run), DataError,
               "the density is 0 at the values that columns are held at");
}

}  // namespace
}  // namespace mercer
