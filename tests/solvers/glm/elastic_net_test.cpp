// The elastic net against its optimality conditions, a slow solver that shares nothing with it, and closed forms.
#include "mercer/solvers/glm/elastic_net.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct NetData {
  Matrix<double> features;
  Matrix<double> targets;
  std::vector<double> weights;
  std::vector<double> factors;

  ElasticNetProblem problem(NetIntercept intercept = NetIntercept::fitted) const {
    return {features.view(), targets.view(), weights, factors, intercept};
  }
};

NetData random_net(Index n, Index m, Index outputs, std::uint64_t seed) {
  RandomStream random(seed, 1);
  NetData data{Matrix<double>(n, m), Matrix<double>(n, outputs), {}, {}};
  for (Index i = 0; i < n; ++i) {
    double shared = random.normal();
    for (Index j = 0; j < m; ++j) {
      data.features(i, j) = random.normal() + 0.8 * shared + 0.3;
    }
    for (Index o = 0; o < outputs; ++o) {
      data.targets(i, o) = 2 + (m > 0 ? data.features(i, o % m) : 0.0) + 0.5 * random.normal();
    }
    data.weights.push_back(0.3 + 2 * random.uniform());
  }
  for (Index j = 0; j < m; ++j) {
    data.factors.push_back(0.5 + random.uniform());
  }
  return data;
}

// k(x_i, x_j) of points on a line: nearly dependent columns.
NetData gaussian_net(Index n, double gamma, std::uint64_t seed) {
  RandomStream random(seed, 2);
  std::vector<double> x;
  for (Index i = 0; i < n; ++i) {
    x.push_back(6 * random.uniform() - 3);
  }
  NetData data{Matrix<double>(n, n), Matrix<double>(n, 1), {}, {}};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double d = x[i] - x[j];
      data.features(i, j) = std::exp(-gamma * d * d);
    }
    data.targets(i, 0) = std::sin(2 * x[i]) + 0.2 * random.normal();
  }
  return data;
}

double weight_of(const NetData& data, Index i) { return data.weights.empty() ? 1.0 : data.weights[i]; }
double factor_of(const NetData& data, Index j) { return data.factors.empty() ? 1.0 : data.factors[j]; }

double residual_of(const NetData& data, const Matrix<double>& a, const std::vector<double>& b, Index i, Index o) {
  double value = data.targets(i, o) - b[o];
  for (Index j = 0; j < a.rows(); ++j) {
    value -= data.features(i, j) * a(j, o);
  }
  return value;
}

double row_norm(const Matrix<double>& a, Index j) {
  double sum = 0;
  for (Index o = 0; o < a.columns(); ++o) {
    sum += a(j, o) * a(j, o);
  }
  return std::sqrt(sum);
}

double objective_of(const NetData& data, const ElasticNetPenalty& penalty, const Matrix<double>& a,
                    const std::vector<double>& b) {
  double sum = 0;
  for (Index i = 0; i < data.targets.rows(); ++i) {
    for (Index o = 0; o < data.targets.columns(); ++o) {
      const double r = residual_of(data, a, b, i, o);
      sum += 0.5 * weight_of(data, i) * r * r;
    }
  }
  for (Index j = 0; j < a.rows(); ++j) {
    const double norm = row_norm(a, j);
    sum += factor_of(data, j) * (penalty.l1 * norm + 0.5 * penalty.l2 * norm * norm);
  }
  return sum;
}

// The sub-gradient conditions from their definition; the largest distance from them.
double conditions(const NetData& data, const ElasticNetPenalty& penalty, const ElasticNetSolution& solution,
                  NetIntercept intercept) {
  const Index outputs = data.targets.columns();
  double worst = 0;
  Matrix<double> r(data.targets.rows(), outputs);
  std::vector<double> sums(outputs, 0.0);
  for (Index i = 0; i < r.rows(); ++i) {
    for (Index o = 0; o < outputs; ++o) {
      r(i, o) = weight_of(data, i) * residual_of(data, solution.coefficients, solution.intercepts, i, o);
      sums[o] += r(i, o);
    }
  }
  for (const double sum : sums) {
    worst = intercept == NetIntercept::fitted ? std::max(worst, std::abs(sum)) : worst;
  }
  for (Index j = 0; j < data.features.columns(); ++j) {
    const double norm = row_norm(solution.coefficients, j);
    const double c = factor_of(data, j);
    double square = 0;
    for (Index o = 0; o < outputs; ++o) {
      double u = 0;
      for (Index i = 0; i < r.rows(); ++i) {
        u += data.features(i, j) * r(i, o);
      }
      u -= c * penalty.l2 * solution.coefficients(j, o);
      u -= norm > 0 ? c * penalty.l1 * solution.coefficients(j, o) / norm : 0.0;
      square += u * u;
    }
    worst = std::max(worst, norm > 0 ? std::sqrt(square) : std::sqrt(square) - c * penalty.l1);
  }
  return worst;
}

TEST(ElasticNet, MeetsTheOptimalityConditions) {
  RandomStream random(3, 3);
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    const auto n = static_cast<Index>(2 + random.below(40));
    const auto m = static_cast<Index>(1 + random.below(50));
    const auto outputs = static_cast<Index>(1 + trial % 3);
    const NetData data = random_net(n, m, outputs, trial);
    const NetIntercept intercept = trial % 4 == 0 ? NetIntercept::none : NetIntercept::fitted;
    ElasticNet net(data.problem(intercept), {});
    const double l1 = net.largest_l1() * std::pow(10.0, -2.5 * random.uniform());
    const ElasticNetPenalty penalty{l1, trial % 5 < 3 ? 0.0 : l1};
    const ElasticNetSolution solution = net.solve(penalty, {.tolerance = 1e-13});
    EXPECT_LT(conditions(data, penalty, solution, intercept), 2e-5 * net.largest_l1()) << trial;
    EXPECT_NEAR(solution.objective, objective_of(data, penalty, solution.coefficients, solution.intercepts),
                1e-9 * (1 + solution.objective));
    EXPECT_LE(solution.gap, 1e-9 * (1 + solution.objective)) << trial << " " << n << " " << m;
  }
}

// Proximal gradient steps of fixed length, until nothing changes.
TEST(ElasticNet, AgreesWithProximalGradient) {
  for (const Index outputs : {1, 3}) {
    const NetData data = random_net(30, 8, outputs, 17);
    const ElasticNetPenalty penalty{6.0, 1.5};
    Matrix<double> a = Matrix<double>::filled(8, outputs, 0.0);
    std::vector<double> b(outputs, 0.0);
    double lipschitz = 0;
    for (Index i = 0; i < 30; ++i) {
      double square = 1;
      for (Index j = 0; j < 8; ++j) {
        square += data.features(i, j) * data.features(i, j);
      }
      lipschitz += weight_of(data, i) * square;
    }
    for (int step = 0; step < 30000; ++step) {
      Matrix<double> slope = Matrix<double>::filled(8, outputs, 0.0);
      for (Index o = 0; o < outputs; ++o) {
        double constant = 0;
        for (Index i = 0; i < 30; ++i) {
          const double r = weight_of(data, i) * residual_of(data, a, b, i, o);
          constant += r;
          for (Index j = 0; j < 8; ++j) {
            slope(j, o) += r * data.features(i, j);
          }
        }
        b[o] += constant / lipschitz;
      }
      for (Index j = 0; j < 8; ++j) {
        for (Index o = 0; o < outputs; ++o) {
          a(j, o) += slope(j, o) / lipschitz;
        }
        const double norm = row_norm(a, j);
        const double t = factor_of(data, j) * penalty.l1 / lipschitz;
        const double shrink = norm > t ? (1 - t / norm) / (1 + factor_of(data, j) * penalty.l2 / lipschitz) : 0.0;
        for (Index o = 0; o < outputs; ++o) {
          a(j, o) *= shrink;
        }
      }
    }
    const ElasticNetSolution solution = elastic_net(data.problem(), penalty, {.tolerance = 1e-14}, {});
    EXPECT_NEAR(solution.objective, objective_of(data, penalty, a, b), 1e-10 * solution.objective);
    for (Index j = 0; j < 8; ++j) {
      for (Index o = 0; o < outputs; ++o) {
        EXPECT_NEAR(solution.coefficients(j, o), a(j, o), 1e-6);
      }
    }
  }
}

TEST(ElasticNet, GapBoundsTheDistanceToTheMinimum) {
  const NetData data = gaussian_net(40, 1.0, 5);
  const ElasticNetPenalty penalty{0.05, 0};
  const double least = elastic_net(data.problem(), penalty, {.tolerance = 1e-13}, {}).objective;
  for (const double tolerance : {1e-1, 1e-2, 1e-4}) {
    const ElasticNetSolution rough = elastic_net(data.problem(), penalty, {.tolerance = tolerance}, {});
    EXPECT_LE(rough.objective - least, rough.gap + 1e-12);
    EXPECT_GE(rough.objective, least - 1e-10);
  }
}

// Rows of weight 10⁴ are fitted first, and the residual points away from the targets then: no dual value from there may
// exceed the minimum.
TEST(ElasticNet, GapBoundsTheDistanceWhereWeightsDifferMuch) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    NetData data = gaussian_net(16, 8, seed);
    RandomStream random(seed, 3);
    for (Index i = 0; i < 16; ++i) {
      data.weights.push_back(random.uniform() < 0.2 ? 1e4 : 1.0);
    }
    const ElasticNetPenalty penalty{.l1 = 1e-3};
    const ElasticNetSolution rough = elastic_net(data.problem(), penalty, {.tolerance = 1e-6}, {});
    const ElasticNetSolution fine = elastic_net(data.problem(), penalty, {.tolerance = 1e-14}, {});
    EXPECT_LE(rough.objective - fine.objective, rough.gap + 1e-6 * fine.objective) << seed;
  }
}

TEST(ElasticNet, NearlyDependentFeaturesCostNoAccuracy) {
  const NetData data = gaussian_net(200, 0.3, 6);
  ElasticNet net(data.problem(), {});
  for (const double l1 : penalty_sequence(net.largest_l1(), 1e-5, 12)) {
    const ElasticNetSolution solution = net.solve({l1, 0}, {.tolerance = 1e-10});
    EXPECT_EQ(solution.status, SolveStatus::converged) << l1;
    EXPECT_LT(static_cast<Index>(solution.active.size()), 60);
  }
}

TEST(ElasticNet, PathPointsAreThoseOfSingleFits) {
  const NetData data = random_net(50, 60, 1, 8);
  ElasticNet net(data.problem(), {});
  for (const double l1 : penalty_sequence(net.largest_l1(), 1e-2, 8)) {
    const ElasticNetSolution warm = net.solve({l1, 0.1}, {.tolerance = 1e-13});
    const ElasticNetSolution cold = elastic_net(data.problem(), {l1, 0.1}, {.tolerance = 1e-13}, {});
    for (Index j = 0; j < 60; ++j) {
      EXPECT_NEAR(warm.coefficients(j, 0), cold.coefficients(j, 0), 1e-6);
    }
  }
}

TEST(ElasticNet, LargestPenaltyIsWhereTheFirstFeatureEnters) {
  const NetData data = random_net(30, 20, 2, 9);
  ElasticNet net(data.problem(), {});
  EXPECT_TRUE(net.solve({net.largest_l1() * 1.0000001, 0}).active.empty());
  const ElasticNetSolution below = net.solve({net.largest_l1() * 0.999, 0}, {.tolerance = 1e-14});
  EXPECT_EQ(below.active.size(), 1U);
  EXPECT_TRUE(net.solve({1e12, 3}).active.empty());
}

// Orthonormal features: soft thresholds.
TEST(ElasticNet, OrthonormalFeaturesHaveAClosedForm) {
  NetData data{Matrix<double>::filled(4, 4, 0.5), Matrix<double>(4, 1), {}, {}};
  const double signs[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}};
  const double y[4] = {3, -1, 0.5, 2};
  for (Index i = 0; i < 4; ++i) {
    data.targets(i, 0) = y[i];
    for (Index j = 0; j < 4; ++j) {
      data.features(i, j) *= signs[j][i];
    }
  }
  const ElasticNetSolution solution =
      elastic_net(data.problem(NetIntercept::none), {0.7, 0.25}, {.tolerance = 1e-14}, {});
  for (Index j = 0; j < 4; ++j) {
    double u = 0;
    for (Index i = 0; i < 4; ++i) {
      u += data.features(i, j) * y[i];
    }
    const double expected = std::copysign(std::max(0.0, std::abs(u) - 0.7), u) / 1.25;
    EXPECT_NEAR(solution.coefficients(j, 0), expected, 1e-12);
  }
}

// Without l1 it is ridge regression; features of factor 0 are not penalised.
TEST(ElasticNet, FreeFeaturesAndRidge) {
  NetData data = random_net(25, 6, 1, 10);
  data.factors = {1, 0, 1, 1, 0, 2};
  for (const ElasticNetPenalty penalty : {ElasticNetPenalty{0, 3}, ElasticNetPenalty{4, 0}, ElasticNetPenalty{2, 1}}) {
    const ElasticNetSolution solution = elastic_net(data.problem(), penalty, {.tolerance = 1e-14}, {});
    EXPECT_LT(conditions(data, penalty, solution, NetIntercept::fitted), 1e-6);
    EXPECT_NE(solution.coefficients(1, 0), 0);
  }
  const ElasticNetSolution none = elastic_net(data.problem(), {1e9, 0}, {}, {});
  EXPECT_EQ(none.active, (std::vector<Index>{1, 4}));
  EXPECT_LT(conditions(data, {1e9, 0}, none, NetIntercept::fitted), 1e-8);
}

TEST(ElasticNet, WeightsAreRepetitions) {
  NetData once = random_net(12, 9, 1, 11);
  NetData again{Matrix<double>(24, 9), Matrix<double>(24, 1), {}, once.factors};
  once.weights.clear();
  Index row = 0;
  for (Index i = 0; i < 12; ++i) {
    const Index times = 1 + i % 3;
    once.weights.push_back(static_cast<double>(times));
    for (Index t = 0; t < times; ++t, ++row) {
      for (Index j = 0; j < 9; ++j) {
        again.features(row, j) = once.features(i, j);
      }
      again.targets(row, 0) = once.targets(i, 0);
    }
  }
  ASSERT_EQ(row, 24);
  const ElasticNetSolution a = elastic_net(once.problem(), {3, 0.5}, {.tolerance = 1e-14}, {});
  const ElasticNetSolution b = elastic_net(again.problem(), {3, 0.5}, {.tolerance = 1e-14}, {});
  EXPECT_NEAR(a.intercepts[0], b.intercepts[0], 1e-7);
  for (Index j = 0; j < 9; ++j) {
    EXPECT_NEAR(a.coefficients(j, 0), b.coefficients(j, 0), 1e-7);
  }
}

TEST(ElasticNet, DegenerateFeaturesAndTargets) {
  NetData data = random_net(15, 6, 1, 12);
  for (Index i = 0; i < 15; ++i) {
    data.features(i, 1) = 0;
    data.features(i, 2) = 7;
    data.features(i, 4) = data.features(i, 3);
  }
  const ElasticNetSolution solution = elastic_net(data.problem(), {0.5, 0}, {.tolerance = 1e-12}, {});
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_EQ(solution.coefficients(1, 0), 0);
  EXPECT_EQ(solution.coefficients(2, 0), 0);
  EXPECT_LT(conditions(data, {0.5, 0}, solution, NetIntercept::fitted), 1e-4);
  for (Index i = 0; i < 15; ++i) {
    data.targets(i, 0) = 4.5;
  }
  const ElasticNetSolution constant = elastic_net(data.problem(), {0.5, 0}, {}, {});
  EXPECT_NEAR(constant.intercepts[0], 4.5, 1e-12);
  EXPECT_LT(constant.objective, 1e-20);
  const NetData one = random_net(1, 3, 1, 13);
  EXPECT_NEAR(elastic_net(one.problem(), {0.1, 0}, {}, {}).intercepts[0], one.targets(0, 0), 1e-12);
  const NetData none = random_net(5, 0, 1, 14);
  EXPECT_TRUE(elastic_net(none.problem(), {1, 0}, {}, {}).active.empty());
}

TEST(ElasticNet, WrongInputIsRefused) {
  NetData data = random_net(6, 4, 1, 15);
  EXPECT_ERROR(elastic_net(data.problem(), {0, 0}, {}, {}), InvalidArgument, "elastic net: l1 and l2 are both 0");
  EXPECT_ERROR(elastic_net(data.problem(), {-1, 0}, {}, {}), InvalidArgument, "elastic net: l1 = -1");
  EXPECT_ERROR(elastic_net(data.problem(), {1, 0}, {.tolerance = 0}, {}), InvalidArgument,
               "elastic net: tolerance = 0");
  data.weights[2] = 0;
  EXPECT_ERROR(elastic_net(data.problem(), {1, 0}, {}, {}), InvalidArgument, "elastic net: a weight = 0");
  data.weights[2] = 1;
  data.features(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(elastic_net(data.problem(), {1, 0}, {}, {}), NumericalError,
               "elastic net: row 3 (counted from 0) has a feature or target that is not a");
}

TEST(ElasticNet, AnyNumberOfThreadsGivesTheSameBits) {
  const NetData data = gaussian_net(300, 2.0, 16);
  const auto solve = [&](int threads) {
    return elastic_net(data.problem(), {0.02, 0}, {}, mercer::Run{{.threads = threads}});
  };
  const ElasticNetSolution one = solve(1);
  const ElasticNetSolution three = solve(3);
  for (Index j = 0; j < 300; ++j) {
    EXPECT_EQ(one.coefficients(j, 0), three.coefficients(j, 0));
  }
}

}  // namespace
}  // namespace mercer
