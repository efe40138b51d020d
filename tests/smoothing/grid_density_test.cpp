#include "mercer/smoothing/grid_density.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/smoothing/fourier.h"
#include "mercer/smoothing/kernel_density.h"
#include "smoothing/density_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::normal_points;
using testing::positive_values;

TEST(FourierTest, IsThePlainTransformAndBack) {
  const std::array<Index, 3> sizes = {4, 3, 5};
  std::vector<std::complex<double>> values;
  RandomStream random(3);
  for (int k = 0; k < 60; ++k) {
    values.emplace_back(random.normal(), random.normal());
  }
  std::vector<std::complex<double>> transformed = values;
  fourier_transform(transformed, sizes, FourierDirection::forward, {});
  for (const std::array<Index, 3> f : {std::array<Index, 3>{0, 0, 0}, {1, 2, 3}, {3, 0, 4}}) {
    std::complex<double> sum = 0;
    for (Index a = 0; a < 4; ++a) {
      for (Index b = 0; b < 3; ++b) {
        for (Index c = 0; c < 5; ++c) {
          const double turns =
              static_cast<double>(f[0] * a) / 4 + static_cast<double>(f[1] * b) / 3 + static_cast<double>(f[2] * c) / 5;
          sum += values[(a * 3 + b) * 5 + c] * std::polar(1.0, -2 * std::numbers::pi * turns);
        }
      }
    }
    EXPECT_NEAR(std::abs(sum - transformed[(f[0] * 3 + f[1]) * 5 + f[2]]), 0, 1e-12);
  }
  fourier_transform(transformed, sizes, FourierDirection::inverse, {});
  for (std::size_t k = 0; k < 60; ++k) {
    EXPECT_NEAR(std::abs(transformed[k] - values[k]), 0, 1e-14);
  }
  EXPECT_EQ(fast_fourier_size(1), 1);
  EXPECT_EQ(fast_fourier_size(7), 8);
  EXPECT_EQ(fast_fourier_size(1021), 1024);
}

class BinnedDensity : public ::testing::TestWithParam<SmoothingShape> {};

TEST_P(BinnedDensity, StaysWithinItsBounds) {
  for (Index d = 1; d <= 3; ++d) {
    for (const bool full : {false, true}) {
      if (full && GetParam() == SmoothingShape::cube) {
        continue;  // there is none along other directions than the axes
      }
      Matrix<double> h = Matrix<double>::filled(d, d, full ? 0.03 : 0.0);
      std::vector<GridAxis> axes;
      for (Index j = 0; j < d; ++j) {
        h(j, j) = 0.1 + 0.05 * static_cast<double>(j);
        // Off centre, so that points lie outside; steps of different lengths.
        axes.push_back({-1.7 + 0.1 * static_cast<double>(j), d == 1 ? 0.02 : 0.1 + 0.02 * static_cast<double>(j),
                        d == 1   ? 150
                        : d == 2 ? 25
                                 : 9});
      }
      const KernelDensity density(
          {.shape = GetParam(),
           .points = normal_points(60, d, 7),
           .weights = positive_values(60, 8),
           .scales = {},
           .bandwidth = Bandwidth::full(h.view()).scaled(GetParam() == SmoothingShape::exponential ? 0.3 : 1),
           .bounds = {}});
      const GridDensity exact = density.on_grid(axes, GridMethod::direct, {});
      const GridDensity binned = density.on_grid(axes, GridMethod::transform, {});
      ASSERT_EQ(binned.values.size(), exact.values.size());
      EXPECT_TRUE(exact.error_bounds.empty());
      double worst = 0;
      double largest = 0;
      for (std::size_t k = 0; k < exact.values.size(); ++k) {
        const double error = std::abs(binned.values[k] - exact.values[k]);
        EXPECT_LE(error, binned.error_bounds[k]) << d << " " << k;
        worst = std::max(worst, binned.error_bounds[k]);
        largest = std::max(largest, exact.values[k]);
      }
      EXPECT_GT(largest, 0);
      if (d == 1 && GetParam() != SmoothingShape::boxcar && GetParam() != SmoothingShape::cube) {
        EXPECT_LT(worst, 0.01 * largest);  // the bound says something
      }
    }
  }
}

TEST_P(BinnedDensity, ImagesReachTheGridToo) {
  std::vector<AxisBounds> bounds(2);
  bounds[0].lower = -3;
  bounds[0].upper = 3.5;
  bounds[1].period = 4;
  Matrix<double> points = normal_points(50, 2, 17);
  for (Index i = 0; i < 50; ++i) {
    points(i, 0) = std::clamp(points(i, 0), -3.0, 3.5);
  }
  const KernelDensity density({.shape = GetParam(),
                               .points = std::move(points),
                               .weights = {},
                               .scales = {},
                               .bandwidth = Bandwidth::diagonal({0.8, 0.7}),
                               .bounds = bounds});
  const std::vector<GridAxis> axes = {{-3.2, 0.1, 70}, {0, 0.1, 41}};
  const GridDensity exact = density.on_grid(axes, GridMethod::direct, {});
  const GridDensity binned = density.on_grid(axes, GridMethod::transform, {});
  for (std::size_t k = 0; k < exact.values.size(); ++k) {
    EXPECT_LE(std::abs(binned.values[k] - exact.values[k]), binned.error_bounds[k] + 1e-15);
  }
  EXPECT_EQ(binned.values[0], 0);  // outside
  EXPECT_EQ(exact.values[0], 0);
  const std::vector<GridAxis> beyond = {{-3, 0.1, 5}, {1, 0.1, 41}};
  EXPECT_ERROR(density.on_grid(beyond, GridMethod::transform, {}), InvalidArgument,
               "this density cannot be binned on this grid");
}

INSTANTIATE_TEST_SUITE_P(Shapes, BinnedDensity, ::testing::ValuesIn(smoothing_shapes),
                         [](const auto& tested) { return std::string(word_of(tested.param)); });

TEST(GridDensityTest, ManyPointsGiveTheSameBitsForAnyNumberOfThreads) {
  const KernelDensity density({.shape = SmoothingShape::gaussian,
                               .points = normal_points(200000, 1, 3),
                               .weights = {},
                               .scales = {},
                               .bandwidth = Bandwidth::scalar(0.1, 1),
                               .bounds = {}});
  const std::vector<GridAxis> axes = {{-5, 0.01, 1000}};
  const GridDensity one = density.on_grid(axes, GridMethod::automatic, mercer::Run{{.threads = 1}});
  const GridDensity three = density.on_grid(axes, GridMethod::automatic, mercer::Run{{.threads = 3}});
  EXPECT_FALSE(one.error_bounds.empty());
  EXPECT_EQ(one.values, three.values);
  double sum = 0;
  for (const double value : one.values) {
    sum += 0.01 * value;
  }
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(GridDensityTest, UnusableGridsAreRefused) {
  const KernelDensity density({.shape = SmoothingShape::gaussian,
                               .points = normal_points(5, 4, 3),
                               .weights = {},
                               .scales = {},
                               .bandwidth = Bandwidth::scalar(0.1, 4),
                               .bounds = {}});
  const std::vector<GridAxis> four(4, {0, 1, 2});
  EXPECT_EQ(density.on_grid(four, GridMethod::automatic, {}).values.size(), 16U);
  EXPECT_ERROR(density.on_grid(four, GridMethod::transform, {}), InvalidArgument,
               "this density cannot be binned on this grid");
  EXPECT_ERROR(density.on_grid(std::vector<GridAxis>(3, {0, 1, 2}), GridMethod::direct, {}), InvalidArgument,
               "a grid of 3 axes, where the samples have 4 columns");
  EXPECT_ERROR(density.on_grid(std::vector<GridAxis>(4, {0, 0, 2}), GridMethod::direct, {}), InvalidArgument,
               "step = 0");
  EXPECT_ERROR(density.on_grid(std::vector<GridAxis>(4, {0, 1, 0}), GridMethod::direct, {}), InvalidArgument,
               "count = 0");
  EXPECT_ERROR(density.on_grid(std::vector<GridAxis>(4, {0, 1, 1000}), GridMethod::direct, {}), InvalidArgument,
               "nodes = 1e+12");
}

}  // namespace
}  // namespace mercer
