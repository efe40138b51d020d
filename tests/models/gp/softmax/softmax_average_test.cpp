// The averaged softmax against quadrature, known limits, and itself with the classes in another order.
#include "mercer/models/gp/softmax/softmax_average.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/random.h"
#include "mercer/linalg/gauss_rule.h"

namespace mercer {
namespace {

struct Case {
  std::vector<double> mean;
  Matrix<double> covariance;
};

// S = AAᵀ + diagonal, deviations around 1.5.
Case random_case(Index classes, std::uint64_t seed) {
  RandomStream random(seed, 5);
  Matrix<double> a(classes, classes);
  fill_normal(random, {a.data(), static_cast<std::size_t>(classes * classes)});
  Case result{std::vector<double>(classes), Matrix<double>(classes, classes)};
  fill_normal(random, result.mean);
  for (Index i = 0; i < classes; ++i) {
    result.mean[i] *= 2;
    for (Index j = 0; j < classes; ++j) {
      double sum = i == j ? 0.5 : 0.0;
      for (Index k = 0; k < classes; ++k) {
        sum += a(i, k) * a(j, k) * 1.7 / static_cast<double>(classes);
      }
      result.covariance(i, j) = sum;
    }
  }
  return result;
}

std::vector<double> averaged(const Case& c) {
  const SoftmaxAverage average(static_cast<Index>(c.mean.size()));
  SoftmaxAverage::Workspace workspace;
  std::vector<double> out(c.mean.size());
  average.probabilities(c.mean, c.covariance.view(), out, workspace);
  return out;
}

Matrix<double> cholesky_by_hand(const Matrix<double>& a) {
  Matrix<double> root = Matrix<double>::filled(a.rows(), a.rows(), 0.0);
  for (Index j = 0; j < a.rows(); ++j) {
    for (Index i = j; i < a.rows(); ++i) {
      double rest = a(i, j);
      for (Index k = 0; k < j; ++k) {
        rest -= root(i, k) * root(j, k);
      }
      root(i, j) = i == j ? std::sqrt(rest) : rest / root(j, j);
    }
  }
  return root;
}

// Three nested Gauss-Hermite rules over the three latent values themselves.
std::vector<double> by_quadrature(const Case& c) {
  const GaussRule rule = hermite_rule(48);
  const Matrix<double> root = cholesky_by_hand(c.covariance);
  std::vector<double> expected(3, 0.0);
  for (std::size_t a = 0; a < rule.nodes.size(); ++a) {
    for (std::size_t b = 0; b < rule.nodes.size(); ++b) {
      for (std::size_t d = 0; d < rule.nodes.size(); ++d) {
        const double f0 = c.mean[0] + root(0, 0) * rule.nodes[a];
        const double f1 = c.mean[1] + root(1, 0) * rule.nodes[a] + root(1, 1) * rule.nodes[b];
        const double f2 =
            c.mean[2] + root(2, 0) * rule.nodes[a] + root(2, 1) * rule.nodes[b] + root(2, 2) * rule.nodes[d];
        const double weight = rule.weights[a] * rule.weights[b] * rule.weights[d];
        const double e0 = 1 / (1 + std::exp(f1 - f0) + std::exp(f2 - f0));
        const double e1 = 1 / (std::exp(f0 - f1) + 1 + std::exp(f2 - f1));
        expected[0] += weight * e0;
        expected[1] += weight * e1;
        expected[2] += weight * (1 - e0 - e1);
      }
    }
  }
  return expected;
}

TEST(SoftmaxAverage, EqualsQuadrature) {
  double squares = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Case c = random_case(3, seed);
    const std::vector<double> found = averaged(c);
    const std::vector<double> expected = by_quadrature(c);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(found[k], expected[k], 5e-4);
      squares += (found[k] - expected[k]) * (found[k] - expected[k]) / 12;
    }
    EXPECT_NEAR(found[0] + found[1] + found[2], 1, 1e-14);
  }
  EXPECT_LT(std::sqrt(squares), 2e-4);
}

// Random draws know no lattice.
TEST(SoftmaxAverage, ManyClassesEqualRandomDraws) {
  for (const Index classes : {4, 5, 10, 40}) {
    const Case c = random_case(classes, 11);
    const Matrix<double> root = cholesky_by_hand(c.covariance);
    const auto size = static_cast<std::size_t>(classes);
    std::vector<double> expected(size, 0.0);
    RandomStream random(3, 9);
    constexpr int draws = 20000;
    std::vector<double> z(size);
    std::vector<double> e(size);
    for (int draw = 0; draw < draws; ++draw) {
      fill_normal(random, z);
      double sum = 0;
      for (Index i = 0; i < classes; ++i) {
        double f = c.mean[i];
        for (Index k = 0; k <= i; ++k) {
          f += root(i, k) * z[k];
        }
        e[i] = std::exp(f);
        sum += e[i];
      }
      for (std::size_t i = 0; i < size; ++i) {
        expected[i] += e[i] / sum / draws;
      }
    }
    const std::vector<double> found = averaged(c);
    for (std::size_t i = 0; i < size; ++i) {
      // Four deviations of the draws (at most ½/√20000 each), and the lattice's own 4e-3.
      EXPECT_NEAR(found[i], expected[i], 0.013) << classes;
    }
  }
}

TEST(SoftmaxAverage, TwoClassesAreTheLogisticFunction) {
  const Case c{{0.3, -0.9}, random_case(2, 4).covariance};
  const double variance = c.covariance(0, 0) + c.covariance(1, 1) - 2 * c.covariance(0, 1);
  const GaussRule rule = hermite_rule(60);
  double expected = 0;
  for (std::size_t a = 0; a < rule.nodes.size(); ++a) {
    expected += rule.weights[a] / (1 + std::exp(-(1.2 + std::sqrt(variance) * rule.nodes[a])));
  }
  EXPECT_NEAR(averaged(c)[0], expected, 1e-4);
}

TEST(SoftmaxAverage, CertainLatentValues) {
  const Case none{{0.5, -1.0, 0.2}, Matrix<double>::filled(3, 3, 0.0)};
  EXPECT_NEAR(averaged(none)[0] / averaged(none)[1], std::exp(1.5), 1e-12);
  // What all classes share does not matter, however large.
  const Case shared{{0.5, -1.0, 0.2}, Matrix<double>::filled(3, 3, 1e6)};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(averaged(shared)[k], averaged(none)[k], 1e-6);
  }
}

// Exponents beyond the range of numbers: the class of the largest latent value wins.
TEST(SoftmaxAverage, HugeDeviations) {
  Case c{{0, 0, 0}, Matrix<double>::filled(3, 3, 0.0)};
  for (Index i = 0; i < 3; ++i) {
    c.covariance(i, i) = 1e8;
  }
  const std::vector<double> found = averaged(c);
  for (const double p : found) {
    EXPECT_NEAR(p, 1.0 / 3, 5e-3);
  }
  c.mean = {0, 5e4, -2e3};
  EXPECT_NEAR(averaged(c)[1], 1, 1e-3);
  c.mean = {-1e5, 0, -1e5};
  c.covariance = Matrix<double>::filled(3, 3, 0.0);
  EXPECT_EQ(averaged(c)[1], 1);
}

TEST(SoftmaxAverage, TheOrderOfTheClassesHardlyMatters) {
  const Case c = random_case(4, 8);
  Case turned{{c.mean[2], c.mean[0], c.mean[3], c.mean[1]}, Matrix<double>(4, 4)};
  const std::vector<Index> order = {2, 0, 3, 1};
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      turned.covariance(i, j) = c.covariance(order[i], order[j]);
    }
  }
  const std::vector<double> first = averaged(c);
  const std::vector<double> second = averaged(turned);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(second[i], first[order[i]], 2e-3);
  }
}

// A workspace that another number of classes has used.
TEST(SoftmaxAverage, WorkspacesMayBeShared) {
  SoftmaxAverage::Workspace workspace;
  for (const Index classes : {3, 6, 3}) {
    const Case c = random_case(classes, 2);
    std::vector<double> out(c.mean.size());
    SoftmaxAverage(classes).probabilities(c.mean, c.covariance.view(), out, workspace);
    EXPECT_EQ(out, averaged(c));
  }
}

}  // namespace
}  // namespace mercer
