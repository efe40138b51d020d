#include "mercer/features/projection_pursuit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "mercer/features/pivot_coordinates.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using feature_test::Dense;
using feature_test::random_matrix;

constexpr Contrast every_contrast[] = {Contrast::fourth,     Contrast::square,  Contrast::logcosh,
                                       Contrast::negentropy, Contrast::entropy, Contrast::fisher};

std::vector<double> normal_values(Index n, std::uint64_t seed) {
  const Matrix<double> x = random_matrix(n, 1, seed);
  return {x.data(), x.data() + n};
}

std::vector<double> equal_shares(std::size_t n) { return std::vector<double>(n, 1 / static_cast<double>(n)); }

TEST(Contrast, GradientsAreFiniteDifferences) {
  const std::vector<double> f = normal_values(12, 1);
  std::vector<double> shares;
  for (int i = 0; i < 12; ++i) {
    shares.push_back((1 + i) / 78.0);
  }
  for (const Contrast contrast : every_contrast) {
    std::vector<double> gradient(12);
    contrast_of(contrast, f, shares, gradient);
    for (std::size_t i = 0; i < 12; ++i) {
      std::vector<double> moved = f;
      moved[i] += 1e-5;
      const double above = contrast_of(contrast, moved, shares, {});
      moved[i] -= 2e-5;
      const double below = contrast_of(contrast, moved, shares, {});
      EXPECT_NEAR(gradient[i], (above - below) / 2e-5, 1e-8) << static_cast<int>(contrast);
    }
  }
}

TEST(Contrast, ValuesOfANormalSample) {
  // Quantiles in place of random numbers: means over them are integrals.
  std::vector<double> f;
  for (int i = 0; i < 1500; ++i) {
    double low = -6;
    double high = 6;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (0.5 * std::erfc(-middle / std::sqrt(2.0)) < (i + 0.5) / 1500 ? low : high) = middle;
    }
    f.push_back(low);
  }
  const std::vector<double> shares = equal_shares(f.size());
  EXPECT_NEAR(contrast_of(Contrast::square, f, shares, {}), 1, 2e-3);
  EXPECT_NEAR(contrast_of(Contrast::fourth, f, shares, {}), 3, 0.05);
  EXPECT_NEAR(contrast_of(Contrast::logcosh, f, shares, {}), 0.374567, 1e-3);
  EXPECT_NEAR(contrast_of(Contrast::negentropy, f, shares, {}), 0, 1e-6);
  // Those of N(0, 1 + h²), h = 1.06 n^(−1/5), taken at N(0, 1).
  const double variance = 1 + std::pow(1.06 * std::pow(1500, -0.2), 2);
  EXPECT_NEAR(contrast_of(Contrast::entropy, f, shares, {}), -0.5 * std::log(2 * M_PI * variance) - 0.5 / variance,
              2e-3);
  EXPECT_NEAR(contrast_of(Contrast::fisher, f, shares, {}), 1 / (variance * variance), 0.01);
}

TEST(Contrast, LargeValuesDoNotOverflow) {
  const std::vector<double> f = {-800, 900};
  const std::vector<double> shares = {0.5, 0.5};
  EXPECT_NEAR(contrast_of(Contrast::logcosh, f, shares, {}), 850 - std::log(2.0), 1e-10);
}

// Centred coordinates in which one direction is heavy-tailed, hidden by a rotation, and all have variance 1.
struct HiddenTail {
  Matrix<double> coordinates;
  Dense direction;
};

HiddenTail hidden_tail(Index n, Index d, std::uint64_t seed) {
  Dense z = random_matrix(n, d, seed);
  for (Index i = 0; i < n; ++i) {
    z(i, 0) = z(i, 0) * z(i, 0) * z(i, 0);
  }
  for (Index c = 0; c < d; ++c) {
    z.set_column(c, z.column(c).shifted(-z.column(c).mean()));
  }
  const auto eigen = (z.transpose() * z / static_cast<double>(n)).eigen();
  z = z * eigen.vectors * Dense::with_diagonal(eigen.values.map([](double v) { return 1 / std::sqrt(v); })) *
      eigen.vectors.transpose();
  const Dense rotation = Dense(random_matrix(d, d, seed + 1)).orthogonal_factor();
  return {(z * rotation).matrix(), rotation.transpose().column(0)};
}

TEST(ProjectionPursuit, FindsTheHeavyTail) {
  const HiddenTail problem = hidden_tail(500, 5, 5);
  for (const Contrast contrast : {Contrast::fourth, Contrast::negentropy, Contrast::entropy, Contrast::fisher}) {
    ProjectionPursuitOptions options;
    options.components = 1;
    options.contrast = contrast;
    options.restarts = 4;
    options.density_rows = 200;
    const ProjectionPursuit found = projection_pursuit(problem.coordinates.view(), {}, options, {});
    EXPECT_GT(std::abs(Dense(found.directions).column(0).dot(problem.direction)), 0.95) << static_cast<int>(contrast);
  }
}

TEST(ProjectionPursuit, SquaresGivePrincipalComponents) {
  Dense x = random_matrix(60, 4, 7);
  for (Index i = 0; i < 60; ++i) {
    for (Index c = 0; c < 4; ++c) {
      x(i, c) *= static_cast<double>(c + 1);
    }
  }
  for (Index c = 0; c < 4; ++c) {
    x.set_column(c, x.column(c).shifted(-x.column(c).mean()));
  }
  ProjectionPursuitOptions options;
  options.contrast = Contrast::square;
  options.components = 4;
  options.tolerance = 1e-10;
  const ProjectionPursuit found = projection_pursuit(x.matrix().view(), {}, options, {});
  const auto eigen = (x.transpose() * x / 60).eigen();
  EXPECT_EQ(found.status, SolveStatus::converged);
  for (Index c = 0; c < 4; ++c) {
    EXPECT_NEAR(found.contrasts[c], eigen.values(3 - c), 1e-9);
    EXPECT_NEAR(std::abs(Dense(found.directions).column(c).dot(eigen.vectors.column(3 - c))), 1, 1e-9);
  }
}

TEST(ProjectionPursuit, StepsNeverLowerTheContrast) {
  const HiddenTail problem = hidden_tail(150, 5, 9);
  for (const Contrast contrast : every_contrast) {
    ProjectionPursuitOptions options;
    options.components = 1;
    options.restarts = 1;
    options.contrast = contrast;
    double before = -1e300;
    for (const Index steps : {1, 2, 3, 5, 8, 13, 30}) {
      options.max_iterations = steps;
      const double reached = projection_pursuit(problem.coordinates.view(), {}, options, {}).contrasts[0];
      EXPECT_GE(reached, before - 1e-12) << static_cast<int>(contrast);
      before = reached;
    }
  }
}

TEST(ProjectionPursuit, DirectionsAreOrthonormalAndDoNotDependOnThreads) {
  const HiddenTail problem = hidden_tail(400, 6, 11);
  ProjectionPursuitOptions options;
  options.components = 6;
  const ProjectionPursuit one =
      projection_pursuit(problem.coordinates.view(), {}, options, mercer::Run{{.threads = 1, .seed = 2}});
  const ProjectionPursuit three =
      projection_pursuit(problem.coordinates.view(), {}, options, mercer::Run{{.threads = 3, .seed = 2}});
  EXPECT_EQ(one.contrasts, three.contrasts);
  const Dense v = one.directions;
  EXPECT_LT((v.transpose() * v - Dense::identity(6)).max_abs(), 1e-12);
}

TEST(ProjectionPursuit, WeightsAreRepetitions) {
  const HiddenTail problem = hidden_tail(90, 3, 13);
  std::vector<double> weights;
  for (int i = 0; i < 90; ++i) {
    weights.push_back(1 + i % 2);
  }
  ProjectionPursuitOptions options;
  options.components = 1;
  options.tolerance = 1e-9;
  const ProjectionPursuit a = projection_pursuit(problem.coordinates.view(), weights, options, {});
  const ProjectionPursuit b =
      projection_pursuit(feature_test::repeated(problem.coordinates, weights).view(), {}, options, {});
  EXPECT_NEAR(a.contrasts[0], b.contrasts[0], 1e-9);
}

TEST(ProjectionPursuit, DegenerateInputs) {
  EXPECT_TRUE(projection_pursuit(Matrix<double>(0, 3).view(), {}, {}, {}).contrasts.empty());
  EXPECT_TRUE(projection_pursuit(Matrix<double>(3, 0).view(), {}, {}, {}).contrasts.empty());
  ProjectionPursuitOptions options;
  options.components = 3;
  const Matrix<double> constant = Matrix<double>::filled(5, 3, 0.0);
  const ProjectionPursuit found = projection_pursuit(constant.view(), {}, options, {});
  EXPECT_TRUE(Dense(found.directions).all_finite());
  options.restarts = 0;
  EXPECT_ERROR(projection_pursuit(constant.view(), {}, options, {}), InvalidArgument, "restarts = 0");
  const std::vector<double> weights = {1};
  EXPECT_ERROR(projection_pursuit(constant.view(), weights, {}, {}), InvalidArgument, "1 weights for 5 samples");
}

}  // namespace
}  // namespace mercer
