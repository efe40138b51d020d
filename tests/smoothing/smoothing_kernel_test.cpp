#include "mercer/smoothing/smoothing_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

// ∫ f(r) S_d r^{d−1} dr by midpoints.
template <class F>
double radial_integral(Index d, double end, F f) {
  const double area = d == 1 ? 2 : d == 2 ? 2 * std::numbers::pi : 4 * std::numbers::pi;
  const int steps = 40000;
  double sum = 0;
  for (int k = 0; k < steps; ++k) {
    const double r = end * (k + 0.5) / steps;
    sum += f(r) * area * std::pow(r, static_cast<double>(d - 1)) * end / steps;
  }
  return sum;
}

class EverySmoothingKernel : public ::testing::TestWithParam<SmoothingShape> {};

TEST_P(EverySmoothingKernel, IntegratesToOneWithItsMoments) {
  for (Index d = 1; d <= 3; ++d) {
    const SmoothingKernel kernel(GetParam(), d);
    const double end = std::isinf(kernel.support()) ? kernel.reach(1e-18) : 1;
    EXPECT_NEAR(radial_integral(d, end, [&](double r) { return kernel.value(r * r); }), 1, 2e-6) << d;
    EXPECT_NEAR(radial_integral(d, end, [&](double r) { return r * r * kernel.value(r * r); }) / static_cast<double>(d),
                kernel.second_moment(), 1e-5 * kernel.second_moment())
        << d;
    EXPECT_NEAR(radial_integral(d, end, [&](double r) { return kernel.value(r * r) * kernel.value(r * r); }),
                std::exp(kernel.log_roughness()), 1e-5 * std::exp(kernel.log_roughness()))
        << d;
  }
}

TEST_P(EverySmoothingKernel, ManyProfilesAreTheSingleOnes) {
  const SmoothingKernel kernel(GetParam(), 2);
  std::vector<double> squares = {
      0, 1e-12, 0.25, 0.999999, 1, 1.0000001, 2, 50, 1400, 1e9, std::numeric_limits<double>::infinity()};
  for (int k = 0; k < 50; ++k) {
    squares.push_back(0.031 * k);
  }
  std::vector<double> values(squares.size());
  kernel.profile(squares, values);
  for (std::size_t k = 0; k < squares.size(); ++k) {
    EXPECT_NEAR(values[k], kernel.profile(squares[k]), 1e-14) << squares[k];
    EXPECT_GE(values[k], 0);
    if (kernel.profile(squares[k]) > 1e-300) {
      EXPECT_NEAR(kernel.log_profile(squares[k]), std::log(kernel.profile(squares[k])), 1e-10);
    }
  }
  EXPECT_EQ(kernel.profile(0), 1);
  if (!std::isinf(kernel.support())) {
    EXPECT_EQ(kernel.profile(1.0000001), 0);
    EXPECT_EQ(kernel.log_profile(2), -std::numeric_limits<double>::infinity());
  }
}

TEST_P(EverySmoothingKernel, CumulativeIsTheIntegral) {
  const SmoothingKernel kernel(GetParam(), 1);
  EXPECT_NEAR(kernel.cumulative(0), 0.5, 1e-15);
  EXPECT_NEAR(kernel.cumulative(-60), 0, 1e-15);
  EXPECT_NEAR(kernel.cumulative(60), 1, 1e-15);
  for (const double u : {-0.9, -0.35, 0.2, 0.75, 1.8}) {
    const double part = radial_integral(1, std::abs(u), [&](double r) { return kernel.value(r * r); }) / 2;
    EXPECT_NEAR(kernel.cumulative(u), u < 0 ? 0.5 - part : 0.5 + part, 1e-5) << u;
  }
}

// ∫ over the plane of the marginal of three dimensions, and the marginal of a marginal.
TEST_P(EverySmoothingKernel, MarginalsIntegrateToTheWhole) {
  const SmoothingKernel kernel(GetParam(), 3);
  const double end = std::isinf(kernel.support()) ? kernel.reach(1e-14) : 1;
  double line = 0;
  const int steps = 1000;
  for (int k = 0; k < steps; ++k) {
    const double r = end * (k + 0.5) / steps;
    line += 2 * kernel.marginal_profile(r * r, 2) * end / steps;
  }
  EXPECT_NEAR(line * std::exp(kernel.log_normalization()), 1, 2e-5);
  for (const double x : {0.1, 0.6}) {  // integrating one dimension of two that are left
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
      const double t = end * (k + 0.5) / steps;
      sum += 2 * kernel.marginal_profile(x * x + t * t, 1) * end / steps;
    }
    EXPECT_NEAR(sum, kernel.marginal_profile(x * x, 2), 3e-4 * sum);
  }
}

TEST_P(EverySmoothingKernel, DrawsHaveTheMomentsAndTheDistribution) {
  for (const Index d : {1, 3}) {
    const SmoothingKernel kernel(GetParam(), d);
    RandomStream random(11, static_cast<std::uint64_t>(d));
    std::vector<double> u(d);
    const int count = 20000;
    double square = 0;
    double mean = 0;
    double inside = 0;
    const double radius = std::isinf(kernel.support()) ? 1.2 : 0.6;
    for (int k = 0; k < count; ++k) {
      kernel.draw(random, u);
      mean += u[0] / count;
      square += u[0] * u[0] / count;
      double squared = 0;
      for (const double value : u) {
        squared += value * value;
      }
      inside += squared <= radius * radius ? 1.0 / count : 0;
    }
    const double sigma = std::sqrt(kernel.second_moment());
    EXPECT_NEAR(mean, 0, 5 * sigma / std::sqrt(count));
    EXPECT_NEAR(square, kernel.second_moment(), 0.06 * kernel.second_moment());
    EXPECT_NEAR(inside, radial_integral(d, radius, [&](double r) { return kernel.value(r * r); }), 0.018);
  }
}

TEST_P(EverySmoothingKernel, NamesReadBack) { EXPECT_EQ(find_word<SmoothingShape>(word_of(GetParam())), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Shapes, EverySmoothingKernel, ::testing::ValuesIn(radial_shapes),
                         [](const auto& tested) { return std::string(word_of(tested.param)); });

// 1 where every |u_j| ≤ 1, and with that a product of boxcars.
TEST(SmoothingKernelTest, TheCubeIsAProductOfBoxcars) {
  EXPECT_EQ(find_word<SmoothingShape>("cube"), SmoothingShape::cube);
  const SmoothingKernel line(SmoothingShape::boxcar, 1);
  for (const Index d : {1, 2, 5}) {
    const SmoothingKernel cube(SmoothingShape::cube, d);
    RandomStream random(21, static_cast<std::uint64_t>(d));
    std::vector<double> u(d);
    for (int k = 0; k < 200; ++k) {
      double squared = 0;
      double product = 1;
      for (double& value : u) {
        value = 2.4 * random.uniform() - 1.2;
        squared = cube.with_coordinate(squared, value);
        product *= line.value(value * value);
      }
      EXPECT_NEAR(cube.value(squared), product, 1e-15 * product) << d;
      EXPECT_NEAR(std::exp(cube.log_normalization()) * cube.marginal_profile(squared, d - 1), squared <= 1 ? 0.5 : 0,
                  1e-15)
          << d;
    }
    EXPECT_NEAR(cube.second_moment(), line.second_moment(), 1e-15);
    EXPECT_NEAR(cube.log_roughness(), static_cast<double>(d) * line.log_roughness(), 1e-14);
    EXPECT_EQ(cube.cumulative(0.3), line.cumulative(0.3));
    double square = 0;
    double largest = 0;
    for (int k = 0; k < 20000; ++k) {
      cube.draw(random, u);
      square += u.back() * u.back() / 20000;
      for (const double value : u) {
        largest = std::max(largest, std::abs(value));
      }
    }
    EXPECT_LE(largest, 1);
    EXPECT_GT(largest, 0.999);
    EXPECT_NEAR(square, 1.0 / 3, 0.01);  // five times its deviation
  }
}

TEST(SmoothingKernelTest, ConstantsOfTheTextbooks) {
  const auto constant = [](SmoothingShape shape, Index d) {
    return std::exp(SmoothingKernel(shape, d).log_normalization());
  };
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(constant(SmoothingShape::gaussian, 1), 1 / std::sqrt(2 * pi), 1e-15);
  EXPECT_NEAR(constant(SmoothingShape::epanechnikov, 1), 0.75, 1e-15);
  EXPECT_NEAR(constant(SmoothingShape::tricube, 1), 70.0 / 81, 1e-15);
  EXPECT_NEAR(constant(SmoothingShape::boxcar, 1), 0.5, 1e-15);
  EXPECT_NEAR(constant(SmoothingShape::triangle, 1), 1, 1e-15);
  EXPECT_NEAR(constant(SmoothingShape::biweight, 1), 15.0 / 16, 1e-15);
  EXPECT_NEAR(constant(SmoothingShape::cosine, 1), pi / 4, 1e-15);
  EXPECT_NEAR(constant(SmoothingShape::exponential, 1), 0.5, 1e-15);
  EXPECT_NEAR(constant(SmoothingShape::epanechnikov, 2), 2 / pi, 1e-15);
  EXPECT_NEAR(constant(SmoothingShape::boxcar, 3), 3 / (4 * pi), 1e-15);
  EXPECT_NEAR(SmoothingKernel(SmoothingShape::epanechnikov, 1).second_moment(), 0.2, 1e-15);
  EXPECT_NEAR(std::exp(SmoothingKernel(SmoothingShape::epanechnikov, 1).log_roughness()), 0.6, 1e-15);
  // Marron and Nolan: 1.7188 for epanechnikov, 0.7764 for the gaussian, 2.0362 for biweight.
  EXPECT_NEAR(SmoothingKernel(SmoothingShape::epanechnikov, 1).canonical_bandwidth(), 1.7188, 1e-4);
  EXPECT_NEAR(SmoothingKernel(SmoothingShape::gaussian, 1).canonical_bandwidth(), 0.7764, 1e-4);
  EXPECT_NEAR(SmoothingKernel(SmoothingShape::biweight, 1).canonical_bandwidth(), 2.0362, 1e-4);
}

TEST(SmoothingKernelTest, HighDimensionsStayFinite) {
  for (const SmoothingShape shape : smoothing_shapes) {
    for (const Index d : {64, 1000}) {
      const SmoothingKernel kernel(shape, d);
      EXPECT_TRUE(std::isfinite(kernel.log_normalization()));
      EXPECT_GT(kernel.second_moment(), 0);
      EXPECT_TRUE(std::isfinite(kernel.log_roughness()));
    }
  }
  EXPECT_NEAR(SmoothingKernel(SmoothingShape::gaussian, 1000).log_normalization(),
              -500 * std::log(2 * std::numbers::pi), 1e-9);
}

TEST(SmoothingKernelTest, UnknownNamesAndEmptyDimensionsAreRefused) {
  EXPECT_EQ(find_word<SmoothingShape>("gausian"), std::nullopt);
  EXPECT_ERROR(SmoothingKernel(SmoothingShape::gaussian, 0), InvalidArgument, "dimension = 0");
}

}  // namespace
}  // namespace mercer
