// Bayes points against arcs in the plane and rejection sampling.
#include "mercer/solvers/version_space/bayes_point.h"

#include <gtest/gtest.h>

#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "solvers/svm_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::to_matrix;

DenseGram<double> gram_of(const oracle::Dense& kernel) { return DenseGram<double>(to_matrix<double>(kernel)); }

double value_at(const oracle::Dense& kernel, std::span<const double> coefficients, Index i) {
  double sum = 0;
  for (Index j = 0; j < kernel.columns(); ++j) {
    sum += kernel(i, j) * coefficients[j];
  }
  return sum;
}

constexpr HitAndRunOptions many{.draws = 2500};

TEST(BayesPointSampler, OfTwoColumnsIsTheMiddleOfAnArc) {
  RandomStream random(3, 1);
  for (int problem = 0; problem < 8; ++problem) {
    oracle::Dense x(6, 2);
    std::vector<double> signs;
    double low = -10;
    double high = 10;
    for (Index i = 0; i < 6; ++i) {
      x(i, 0) = random.normal();
      x(i, 1) = random.normal();
      signs.push_back(x(i, 0) > 0 ? 1.0 : -1.0);
      // w at an angle t: y(x cos t + z sin t) > 0.
      const double angle = std::atan2(signs[i] * x(i, 1), signs[i] * x(i, 0));
      low = std::max(low, angle - std::numbers::pi / 2);
      high = std::min(high, angle + std::numbers::pi / 2);
    }
    const oracle::Dense kernel = x * x.transpose();
    const BayesPoint point = sample_bayes_point(gram_of(kernel), signs, 0, many, {});
    EXPECT_EQ(point.dimension, 2);
    const double half = (high - low) / 2;
    const double length = std::sin(half) / half;  // of the mean of unit vectors on an arc
    EXPECT_NEAR(point.length, length, 5 * half / std::sqrt(point.effective_size));
    for (Index i = 0; i < 6; ++i) {
      const double middle = (low + high) / 2;
      const double expected = length * (std::cos(middle) * x(i, 0) + std::sin(middle) * x(i, 1));
      EXPECT_NEAR(value_at(kernel, point.coefficients, i), expected,
                  5 * std::sqrt(kernel(i, i)) * half / std::sqrt(point.effective_size));
    }
  }
}

TEST(BayesPointSampler, DrawsAreMachinesOfLength1ThatAreRightOnAllRows) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const testing::SvmProblem problem = testing::svm_problem(25, 3, seed);
    oracle::Dense ridged = problem.kernel;
    constexpr double ridge = 0.05;
    for (Index i = 0; i < 25; ++i) {
      ridged(i, i) += ridge;
    }
    const BayesPoint point =
        sample_bayes_point(gram_of(problem.kernel), problem.signs, ridge, {.chains = 2, .draws = 10}, {});
    std::vector<double> mean(25, 0.0);
    for (Index k = 0; k < 20; ++k) {
      std::vector<double> member(25);
      double squared = 0;
      for (Index i = 0; i < 25; ++i) {
        member[i] = point.draws(i, k);
        mean[i] += member[i] / 20;
      }
      for (Index i = 0; i < 25; ++i) {
        const double value = value_at(ridged, member, i);
        EXPECT_GT(problem.signs[i] * value, -1e-9) << seed;
        squared += member[i] * value;
      }
      EXPECT_NEAR(squared, 1, 1e-8) << seed;
    }
    for (Index i = 0; i < 25; ++i) {
      EXPECT_NEAR(point.coefficients[i], mean[i], 1e-9 * (1 + std::abs(mean[i])));
    }
  }
}

TEST(BayesPointSampler, ARidgeIsNoiseBeforeTheSigns) {
  // Rows 0 and 3 are equal, and their labels are not.
  oracle::Dense kernel(4, 4);
  const std::vector<double> x = {0, 1, 2, 0};
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      kernel(i, j) = std::exp(-(x[i] - x[j]) * (x[i] - x[j]));
    }
  }
  const std::vector<double> signs = {1, 1, -1, -1};
  constexpr double ridge = 0.3;
  // w/‖w‖ of normal w with the labels, by rejection; z = (K + λ1)^½ w in coordinates of a Cholesky factor.
  oracle::Dense factor = kernel;
  for (Index j = 0; j < 4; ++j) {
    factor(j, j) += ridge;
    for (Index i = 0; i < 4; ++i) {
      double sum = i == j ? factor(j, j) : kernel(i, j);
      for (Index c = 0; c < j; ++c) {
        sum -= factor(i, c) * factor(j, c);
      }
      factor(i, j) = i < j ? 0.0 : i == j ? std::sqrt(sum) : sum / factor(j, j);
    }
  }
  RandomStream random(9, 2);
  std::vector<double> expected(4, 0.0);
  double accepted = 0;
  for (int k = 0; k < 400000; ++k) {
    std::vector<double> w(4);
    fill_normal(random, w);
    double squared = 0;
    std::vector<double> z(4, 0.0);
    bool holds = true;
    for (Index i = 0; i < 4; ++i) {
      squared += w[i] * w[i];
      for (Index c = 0; c <= i; ++c) {
        z[i] += factor(i, c) * w[c];
      }
      holds = holds && signs[i] * z[i] > 0;
    }
    for (Index i = 0; holds && i < 4; ++i) {
      expected[i] += z[i] / std::sqrt(squared);
    }
    accepted += holds ? 1 : 0;
  }
  oracle::Dense ridged = kernel;
  for (Index i = 0; i < 4; ++i) {
    ridged(i, i) += ridge;
  }
  for (const ConeWalk walk : {ConeWalk::reflect, ConeWalk::hit_and_run}) {
    const BayesPoint point = sample_bayes_point(
        gram_of(kernel), signs, ridge, {.walk = walk, .draws = 5000, .thin = walk == ConeWalk::reflect ? 1 : 5}, {});
    EXPECT_EQ(point.dimension, 4);
    for (Index i = 0; i < 4; ++i) {
      EXPECT_NEAR(value_at(ridged, point.coefficients, i), expected[i] / accepted,
                  5 * 0.4 * std::sqrt(1 / point.effective_size + 1 / accepted));
    }
  }
  EXPECT_ERROR(sample_bayes_point(gram_of(kernel), signs, 0, many, {}), NumericalError, "the version space is empty");
}

TEST(BayesPointSampler, NarrowVersionSpacesAreWalkedThrough) {
  // w in proportion to (t, 1), t uniform on (-e, e) but for e².
  for (const double e : {1e-2, 1e-4, 1e-5}) {
    const std::vector<double> second = {e, -e, 10 * e, -20 * e};
    oracle::Dense kernel(4, 4);
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) {
        kernel(i, j) = 1 + second[i] * second[j];
      }
    }
    for (const ConeWalk walk : {ConeWalk::reflect, ConeWalk::hit_and_run}) {
      const BayesPoint point =
          sample_bayes_point(gram_of(kernel), std::vector<double>{1, -1, 1, -1}, 0, {.walk = walk, .draws = 500}, {});
      EXPECT_LT(point.split_r_hat, 1.05) << e;
      EXPECT_LT(point.given_up, 0.1) << e;
      for (const double place : {0.5, 0.0, -0.5}) {
        double share = 0;
        for (Index k = 0; k < point.draws.columns(); ++k) {
          double value = 0;
          for (Index i = 0; i < 4; ++i) {
            value += point.draws(i, k) * (1 + place * e * second[i]);
          }
          share += value > 0 ? 1.0 / static_cast<double>(point.draws.columns()) : 0.0;
        }
        EXPECT_NEAR(share, (1 + place) / 2, 5 * 0.5 / std::sqrt(point.effective_size)) << e;
      }
    }
  }
}

TEST(BayesPointSampler, WaysThatAreGivenUpAreCounted) {
  // No step before the first draw, in which a walk could find out how far it may go.
  oracle::Dense kernel(2, 2);
  kernel(0, 0) = kernel(1, 1) = 1 + 1e-10;
  kernel(0, 1) = kernel(1, 0) = 1 - 1e-10;
  const BayesPoint point =
      sample_bayes_point(gram_of(kernel), std::vector<double>{1, -1}, 0, {.chains = 1, .draws = 4, .burn_in = 0}, {});
  EXPECT_EQ(point.given_up, 1);
}

TEST(BayesPointSampler, RHatSeesWalksThatAreStillOnTheirWayAlongANarrowCone) {
  constexpr double e = 1e-3;
  const double x[6][2] = {{0, 0}, {e, 0}, {1, 1}, {1, 1 + e}, {2, 0}, {2 + e, 0}};
  oracle::Dense kernel(6, 6);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      kernel(i, j) = std::exp(-0.5 * (std::pow(x[i][0] - x[j][0], 2) + std::pow(x[i][1] - x[j][1], 2)));
    }
  }
  const std::vector<double> signs = {1, -1, 1, -1, 1, -1};
  const BayesPoint point =
      sample_bayes_point(gram_of(kernel), signs, 0, {.walk = ConeWalk::hit_and_run, .thin = 20, .burn_in = 1000}, {});
  EXPECT_GT(point.split_r_hat, 1.1);
}

TEST(BayesPointSampler, AKernelOfZerosHasNoSides) {
  EXPECT_ERROR(
      sample_bayes_point(gram_of(oracle::Dense(2, 2) * oracle::Dense(2, 2)), std::vector<double>{1, -1}, 0, many, {}),
      NumericalError, "all kernel values are 0");
}

}  // namespace
}  // namespace mercer
