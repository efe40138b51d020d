// Pairwise coupling against its own optimality system solved directly, consistent pairs, symmetry.
#include "mercer/models/classes/pairwise_coupling.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;

Matrix<double> random_pairs(unsigned seed, Index k) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.001, 0.999);
  Matrix<double> r = Matrix<double>::filled(k, k, 0.0);
  for (Index i = 0; i < k; ++i) {
    for (Index j = i + 1; j < k; ++j) {
      r(i, j) = uniform(random);
      r(j, i) = 1 - r(i, j);
    }
  }
  return r;
}

std::vector<double> coupled(const Matrix<double>& r, const CouplingOptions& options = {}) {
  std::vector<double> p(r.rows());
  couple_pairwise(r.view(), p, options);
  return p;
}

// The minimum of ½ Σ (r_ji p_i − r_ij p_j)² with Σp = 1: a linear system with a multiplier, solved by Eigen.
TEST(PairwiseCoupling, SolvesTheOptimalitySystem) {
  for (Index k = 3; k <= 20; ++k) {
    const Matrix<double> r = random_pairs(static_cast<unsigned>(k), k);
    Dense system = Dense(k + 1, k + 1);
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < k; ++j) {
        if (i != j) {
          system(i, i) += r(j, i) * r(j, i);
          system(i, j) = -r(j, i) * r(i, j);
        }
      }
      system(i, k) = system(k, i) = 1;
    }
    Dense right(k + 1, 1);
    right(k) = 1;
    const Dense expected = system.solve(right);
    const std::vector<double> p = coupled(r);
    for (Index i = 0; i < k; ++i) {
      EXPECT_NEAR(p[i], expected(i), 1e-9);
      EXPECT_GE(p[i], 0);
    }
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
  }
}

// r_ij = p_i / (p_i + p_j) for some p: that p comes back.
TEST(PairwiseCoupling, ConsistentPairsGiveTheirProbabilities) {
  const std::vector<double> truth = {0.5, 0.2, 0.15, 0.1, 0.05};
  Matrix<double> r = Matrix<double>::filled(5, 5, 0.0);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) {
      r(i, j) = truth[i] / (truth[i] + truth[j]);
    }
  }
  const std::vector<double> p = coupled(r);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(p[i], truth[i], 1e-9);
  }
  // A loose tolerance stops early, near it.
  const std::vector<double> loose = coupled(r, {.tolerance = 0.001, .iteration_limit = 100});
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(loose[i], truth[i], 0.02);
  }
}

TEST(PairwiseCoupling, OneTwoAndEqualClasses) {
  EXPECT_EQ(coupled(Matrix<double>::filled(1, 1, 0.0)), std::vector<double>{1.0});
  Matrix<double> two = Matrix<double>::filled(2, 2, 0.0);
  two(0, 1) = 0.25;
  two(1, 0) = 0.75;
  EXPECT_EQ(coupled(two), (std::vector<double>{0.25, 0.75}));
  for (const double p : coupled(Matrix<double>::filled(7, 7, 0.5))) {
    EXPECT_NEAR(p, 1.0 / 7, 1e-15);
  }
}

TEST(PairwiseCoupling, SureAndContradictoryPairs) {
  // 0 beats 1, 1 beats 2, 2 beats 0, all surely: nothing decides.
  Matrix<double> circle = Matrix<double>::filled(3, 3, 0.0);
  for (Index i = 0; i < 3; ++i) {
    circle(i, (i + 1) % 3) = 1 - 1e-7;
    circle((i + 1) % 3, i) = 1e-7;
  }
  for (const double p : coupled(circle)) {
    EXPECT_NEAR(p, 1.0 / 3, 1e-9);
  }
  Matrix<double> sure = Matrix<double>::filled(3, 3, 0.5);
  sure(0, 1) = sure(0, 2) = 1 - 1e-7;
  sure(1, 0) = sure(2, 0) = 1e-7;
  EXPECT_GT(coupled(sure)[0], 0.999);
}

TEST(PairwiseCoupling, RefusesShapesThatDoNotFit) {
  std::vector<double> p(2);
  EXPECT_ERROR(couple_pairwise(Matrix<double>::filled(3, 3, 0.5).view(), p), InvalidArgument,
               "pairwise coupling needs a square matrix of pairs and one probability for");
  EXPECT_ERROR(couple_pairwise(Matrix<double>::filled(2, 3, 0.5).view(), p), InvalidArgument,
               "pairwise coupling needs a square matrix of pairs and one probability for");
}

}  // namespace
}  // namespace mercer
