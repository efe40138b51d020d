// Kernels of the distance at points that coincide or nearly do: what ‖x‖² + ‖y‖² − 2xᵀy cancels must not show in the value.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/kernel_values.h"
#include "mercer/base/random.h"
#include "mercer/kernels/radial/profile_slopes.h"

namespace mercer {
namespace {

using testing::kernel_values;
using testing::Points;

struct Profile {
  const char* spec;
  double (*value)(double squared_distance);
};

// With a cusp at 0, and one that is narrow against the data.
const Profile steep_profiles[] = {
    {"power_exponential(lengthscale=1, beta=0.5)", [](double s) { return std::exp(-std::pow(s, 0.25)); }},
    {"exponential(lengthscale=1)", [](double s) { return std::exp(-std::sqrt(s)); }},
    {"matern(lengthscale=1, nu=0.5)", [](double s) { return std::exp(-std::sqrt(s)); }},
    {"negative_distance(beta=0.5)", [](double s) { return -std::pow(s, 0.25); }},
    {"rbf(gamma=1000)", [](double s) { return std::exp(-1000 * s); }},
};

// Rows of size 3 and a second set: the same rows, moved by 0, 2⁻²⁰ … 1 along a direction.
Points scattered(Index rows, Index columns) {
  RandomStream random(7, 31);
  Points points(static_cast<std::size_t>(rows), std::vector<double>(columns));
  for (auto& point : points) {
    fill_normal(random, point);
    for (double& coordinate : point) {
      coordinate = std::round(coordinate * 4096) / 2048;  // exact in float, so that only the kernel rounds
    }
  }
  return points;
}

Points moved(const Points& points) {
  Points result = points;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const int power = static_cast<int>(i % 12);
    result[i][i % result[i].size()] += power == 11 ? 0.0 : std::ldexp(1.0, -power);
  }
  return result;
}

double squared_distance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) {
    sum += (x[c] - y[c]) * (x[c] - y[c]);
  }
  return sum;
}

// The largest error relative to the larger of 1 and the value.
template <class T>
double largest_error(const Profile& profile, const Points& x, const Points& y) {
  const Matrix<T> k = kernel_values<T>(profile.spec, x, y);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double exact = profile.value(squared_distance(x[i], y[j]));
      const double error = std::abs(static_cast<double>(k(static_cast<Index>(i), static_cast<Index>(j))) - exact);
      largest = std::max(largest, error / std::max(1.0, std::abs(exact)));
    }
  }
  return largest;
}

TEST(NearPoints, SteepProfilesKeepTheirDigits) {
  const Points x = scattered(60, 7);
  const Points y = moved(x);
  for (const Profile& profile : steep_profiles) {
    // 2⁶ bits may be lost, of a few roundings.
    EXPECT_LT(largest_error<double>(profile, x, y), 512 * std::numeric_limits<double>::epsilon()) << profile.spec;
    EXPECT_LT(largest_error<float>(profile, x, y), 512 * std::numeric_limits<float>::epsilon()) << profile.spec;
  }
}

TEST(NearPoints, EqualRowsThatAreOtherSamplesHaveDistanceZero) {
  const Points x = scattered(80, 5);
  for (const Profile& profile : steep_profiles) {
    const Matrix<double> full = kernel_values<double>(profile.spec, x, x);
    const Matrix<float> single = kernel_values<float>(profile.spec, x, x);
    for (Index i = 0; i < full.rows(); ++i) {
      EXPECT_EQ(full(i, i), profile.value(0)) << profile.spec;
      EXPECT_EQ(single(i, i), static_cast<float>(profile.value(0))) << profile.spec;
    }
  }
}

TEST(NearPoints, ValuesAreSymmetric) {
  const Points x = scattered(40, 7);
  const Points y = moved(x);
  for (const Profile& profile : steep_profiles) {
    const Matrix<double> xy = kernel_values<double>(profile.spec, x, y);
    const Matrix<double> yx = kernel_values<double>(profile.spec, y, x);
    for (Index i = 0; i < xy.rows(); ++i) {
      for (Index j = 0; j < xy.columns(); ++j) {
        // The frames differ (their means are those of the second set), so that bits may.
        EXPECT_NEAR(xy(i, j), yx(j, i), 1e-13) << profile.spec;
      }
    }
  }
}

// One row far away takes no digits from the others: the differences of these are exact in double.
TEST(NearPoints, AnOutlierCostsNothing) {
  const Points x = {{0.25, 0.5}, {0.25, 0.5}, {0.3, 0.5}, {0.6, -0.2}, {1e9, 1e9}};
  for (const Profile& profile : steep_profiles) {
    EXPECT_LT(largest_error<double>(profile, x, x), 512 * std::numeric_limits<double>::epsilon()) << profile.spec;
  }
  for (const char* spec :
       {"wendland(lengthscale=0.5)", "rbf(gamma=1)", "laplacian(gamma=1)", "matern(lengthscale=1)"}) {
    const Matrix<double> k = kernel_values<double>(spec, x, x);
    for (Index i = 0; i < 5; ++i) {
      EXPECT_NEAR(k(i, i), 1, 1e-14) << spec;
    }
    EXPECT_NEAR(k(0, 1), 1, 1e-14) << spec;
  }
  EXPECT_NEAR(kernel_values<double>("rbf(gamma=1)", x, x)(0, 2), std::exp(-0.0025), 1e-15);
}

// Kernels without a width have the unit of the data, whatever it is.
TEST(NearPoints, EqualRowsOfAnySizeHaveDistanceZero) {
  for (const double size : {1e-60, 1.0, 1e60}) {
    const Points x = {{0.03 * size, 1.36 * size}, {1.22 * size, -0.51 * size}, {0.03 * size, 1.36 * size}};
    const Matrix<double> k = kernel_values<double>("negative_distance(beta=0.5)", x, x);
    for (Index i = 0; i < 3; ++i) {
      EXPECT_EQ(k(i, i), 0) << size;
    }
    EXPECT_EQ(k(0, 2), 0) << size;
    EXPECT_LT(k(0, 1), 0) << size;
  }
}

// Small whole numbers have exact distances, and equal ones tie.
TEST(NearPoints, DistancesOfWholeNumbersAreExact) {
  const Points x = {{3}, {1}, {7}, {6}, {0}, {5}};
  const Matrix<double> k = kernel_values<double>("rbf(gamma=0.5)", x, x);
  EXPECT_EQ(k(0, 1), k(0, 5));
  EXPECT_EQ(k(1, 0), k(2, 5));
}

TEST(ProfileSlopes, SmoothProfilesOfModerateWidthPayNothing) {
  const ProfileSlopes gaussian([](std::span<double> u) {
    for (double& v : u) {
      v = std::exp(-v);
    }
  });
  EXPECT_EQ(gaussian.steep_below(0.5, 60), 0);   // width 1, rows of length 8
  EXPECT_GT(gaussian.steep_below(1000, 60), 1);  // width .02
  EXPECT_TRUE(gaussian.too_steep(1, 1000, 60));
  EXPECT_FALSE(gaussian.too_steep(50, 1000, 60));  // far apart: the value is 0 anyhow
  const ProfileSlopes cusp([](std::span<double> u) {
    for (double& v : u) {
      v = std::exp(-std::sqrt(v));
    }
  });
  EXPECT_GT(cusp.steep_below(0.5, 60), 1e-3);
  EXPECT_TRUE(cusp.too_steep(0, 0.5, 60));
  EXPECT_FALSE(cusp.too_steep(1, 0.5, 60));
  // |φ'| = e^-√u / (2√u), to a factor of two.
  for (const double u : {1e-20, 1e-8, 1e-2, 1.0, 9.0}) {
    const double slope = std::exp(-std::sqrt(u)) / (2 * std::sqrt(u));
    EXPECT_GT(cusp.slope(u), 0.4 * slope) << u;
    EXPECT_LT(cusp.slope(u), 2.1 * slope) << u;
  }
}

}  // namespace
}  // namespace mercer
