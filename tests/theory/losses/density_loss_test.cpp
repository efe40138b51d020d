#include "mercer/theory/losses/density_loss.h"

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

double student(double x) { return std::pow(1 + x * x / 4, -2.5); }

TEST(DensityLoss, OfANormalDensityIsTheSquaredLoss) {
  const auto normal = [](double x) { return std::exp(-x * x / 2); };
  const DensityLoss loss(tabulate_density(normal, -6, 6, 241));
  EXPECT_TRUE(loss.is_convex());
  for (double x = -5; x < 5; x += 0.13) {
    EXPECT_NEAR(loss.value(x), x * x / 2, 1e-8) << x;
    EXPECT_NEAR(loss.influence(x), x, 1e-6) << x;
    EXPECT_NEAR(loss.curvature(x), 1, 1e-5) << x;
  }
  EXPECT_NEAR(*loss.normalizer(), std::sqrt(2 * std::numbers::pi), 1e-6);
  // Beyond the table a line: exponential tails.
  EXPECT_NEAR(loss.value(8), loss.value(6) + 2 * loss.influence(6), 1e-9);
  EXPECT_EQ(loss.curvature(8), 0);
}

TEST(DensityLoss, OfStudentsDensityIsNotConvexAndLosesInfluence) {
  const DensityLoss loss(tabulate_density(student, -30, 30, 601));
  EXPECT_FALSE(loss.is_convex());
  for (double x = -20; x < 20; x += 0.37) {
    EXPECT_NEAR(loss.value(x), 2.5 * std::log1p(x * x / 4), 1e-5) << x;
    EXPECT_NEAR(loss.influence(x), 1.25 * x / (1 + x * x / 4), 1e-4) << x;
  }
  EXPECT_LT(loss.influence(20), loss.influence(2));
  // The integral of the density is 8/3, less what its tails beyond 30 lack.
  EXPECT_NEAR(*loss.normalizer(), 8.0 / 3, 1e-4);
  EXPECT_NEAR(*loss.density(1.5), student(1.5) * 3 / 8, 1e-4);
}

TEST(DensityLoss, SlopesAndCurvatureAreDifferences) {
  const DensityLoss loss({{-3, -1, -0.2, 0.9, 2, 2.5}, {0.01, 0.5, 2, 1, 0.3, 0.1}});
  constexpr double step = 1e-6;
  for (double x = -4.03; x < 4; x += 0.11) {
    EXPECT_NEAR(loss.influence(x), (loss.value(x + step) - loss.value(x - step)) / (2 * step), 1e-7) << x;
    EXPECT_NEAR(loss.curvature(x), (loss.influence(x + step) - loss.influence(x - step)) / (2 * step), 1e-6) << x;
  }
  EXPECT_EQ(loss.value(0), 0);
  EXPECT_NEAR(loss.value(-1) - loss.value(2), std::log(0.3 / 0.5), 1e-14);
}

TEST(DensityLoss, ZerosAtTheEndsOfATableAreLeftOut) {
  const NoiseTable table = tabulate_density([](double x) { return std::abs(x) > 2 ? 0.0 : 3 - std::abs(x); }, -4, 4, 9);
  EXPECT_EQ(table.residuals, (std::vector<double>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(table.densities, (std::vector<double>{1, 2, 3, 2, 1}));
}

TEST(DensityLoss, TablesThatMeanNothing) {
  EXPECT_ERROR(DensityLoss({{-1, 1}, {1, 1}}), InvalidArgument, "at least 3");
  EXPECT_ERROR(DensityLoss({{-1, 0, 1}, {1, 1}}), InvalidArgument, "3 residuals with 2 densities");
  EXPECT_ERROR(DensityLoss({{-1, 0, 0, 1}, {1, 2, 2, 1}}), InvalidArgument, "row 3 has the residual 0 after 0");
  EXPECT_ERROR(DensityLoss({{-1, 0, 1}, {1, 0, 1}}), InvalidArgument, "row 2 has the density 0");
  EXPECT_ERROR(DensityLoss({{-1, 0, 1}, {1, std::nan(""), 1}}), InvalidArgument, "row 2 has the density");
  EXPECT_ERROR(DensityLoss({{std::nan(""), 0, 1}, {1, 2, 1}}), InvalidArgument, "row 1 has a residual");
  EXPECT_ERROR(DensityLoss({{1, 2, 3}, {1, 2, 1}}), InvalidArgument, "both sides of 0");
  EXPECT_ERROR(DensityLoss({{-1, 0, 1}, {3, 2, 1}}), InvalidArgument, "grows outward");
  EXPECT_ERROR(tabulate_density(student, 2, -2, 10), InvalidArgument, "grid of 10 residuals from 2 to -2");
}

// A natural spline of these rows would come back up towards -30.
TEST(DensityLoss, LongTailsFallAsTheTableDoes) {
  const DensityLoss loss({{-30, -3, 0, 3, 30}, {0.001, 0.1, 0.4, 0.1, 0.001}});
  EXPECT_NEAR(loss.value(-30), std::log(0.4 / 0.001), 1e-12);
  EXPECT_NEAR(loss.value(3), std::log(0.4 / 0.1), 1e-12);
  const double slope = std::log(0.1 / 0.001) / 27;
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_NEAR(loss.slopes(sign * 30).left, sign * slope, 1e-12);
    EXPECT_NEAR(loss.value(sign * 40) - loss.value(sign * 30), 10 * slope, 1e-12);
    for (double x = 0; x < 30; x += 0.25) {
      EXPECT_LT(loss.value(sign * x), loss.value(sign * (x + 0.25))) << x;
    }
  }
}

}  // namespace
}  // namespace mercer
