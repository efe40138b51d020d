// Weights of a sum of kernels, on problems whose solution is known, and the small quadratic programmes inside.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/solvers/convex/kernel_weights.h"
#include "mercer/solvers/convex/nonnegative_qp.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

Matrix<double> random_semidefinite(Index size, Index rank, RandomStream& random) {
  Matrix<double> factor(size, rank);
  fill_normal(random, {factor.data(), static_cast<std::size_t>(size * rank)});
  Matrix<double> product = Matrix<double>::filled(size, size, 0.0);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      for (Index r = 0; r < rank; ++r) {
        product(i, j) += factor(i, r) * factor(j, r);
      }
    }
  }
  return product;
}

std::vector<double> slopes_of(const Matrix<double>& b, std::span<const double> g, std::span<const double> x) {
  std::vector<double> slopes(g.begin(), g.end());
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index j = 0; j < b.rows(); ++j) {
      slopes[i] += b(i, j) * x[j];
    }
  }
  return slopes;
}

// The conditions of optimality are the oracle: the problem is convex.
TEST(NonnegativeQp, MeetsTheConditionsWithoutEquality) {
  RandomStream random(3, 1);
  for (int trial = 0; trial < 40; ++trial) {
    const auto size = 1 + static_cast<Index>(random.uniform() * 9);
    const Matrix<double> b = random_semidefinite(size, size + 1, random);
    std::vector<double> g(size);
    fill_normal(random, g);
    const std::vector<double> x = solve_nonnegative_qp({.quadratic = b.view(), .linear = g}, {});
    const std::vector<double> slopes = slopes_of(b, g, x);
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_GE(x[k], 0);
      EXPECT_GE(slopes[k], -1e-8);
      EXPECT_NEAR(x[k] * slopes[k], 0, 1e-8 * (1 + x[k]));
    }
  }
}

TEST(NonnegativeQp, MeetsTheConditionsWithAnEquality) {
  RandomStream random(4, 1);
  for (int trial = 0; trial < 40; ++trial) {
    const auto size = 2 + static_cast<Index>(random.uniform() * 9);
    // Half of the trials are singular.
    const Matrix<double> b = random_semidefinite(size, trial % 2 == 0 ? size : 1, random);
    std::vector<double> g(size);
    std::vector<double> a(g.size());
    std::vector<double> start(g.size());
    fill_normal(random, g);
    double total = 0;
    for (std::size_t k = 0; k < g.size(); ++k) {
      a[k] = 0.2 + random.uniform();
      start[k] = random.uniform() < 0.3 ? 0.0 : random.uniform();
      total += a[k] * start[k];
    }
    const std::vector<double> x =
        solve_nonnegative_qp({.quadratic = b.view(), .linear = g, .equality = a, .start = start}, {});
    const std::vector<double> slopes = slopes_of(b, g, x);
    double reached = 0;
    double level = std::numeric_limits<double>::infinity();  // slope/a is least, and the same, where x > 0
    for (std::size_t k = 0; k < x.size(); ++k) {
      reached += a[k] * x[k];
      level = std::min(level, slopes[k] / a[k]);
    }
    EXPECT_NEAR(reached, total, 1e-9 * (1 + total));
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_GE(x[k], 0);
      EXPECT_NEAR(x[k] * (slopes[k] / a[k] - level), 0, 1e-6 * (1 + total));
    }
  }
}

TEST(NonnegativeQp, RefusesWhatDoesNotFit) {
  const Matrix<double> b = Matrix<double>::filled(2, 2, 1.0);
  const std::vector<double> two = {1, 1};
  const std::vector<double> three = {1, 1, 1};
  const std::vector<double> negative = {1, -1};
  EXPECT_ERROR(solve_nonnegative_qp({.quadratic = b.view(), .linear = three}, {}), InvalidArgument,
               "a quadratic programme of 2 variables with vectors of other lengths");
  EXPECT_ERROR(solve_nonnegative_qp({.quadratic = b.view(), .linear = two, .equality = two}, {}), InvalidArgument,
               "a quadratic programme of 2 variables with vectors of other lengths");
  EXPECT_ERROR(solve_nonnegative_qp({.quadratic = b.view(), .linear = two, .equality = two, .start = negative}, {}),
               InvalidArgument, "the start of a quadratic programme over nonnegative numbers has a number");
}

// J(d) = Σ c_k²/(2(d_k + e_k)) = max_β Σ c_kβ_k − ½e_kβ_k² − ½d_kβ_k².
class ReciprocalProblem final : public WeightProblem {
 public:
  ReciprocalProblem(std::vector<double> c, std::vector<double> e) : c_(std::move(c)), e_(std::move(e)) {}

  WeightEvaluation evaluate(std::span<const double> weights, const mercer::Run& /*run*/) override {
    WeightEvaluation evaluation;
    curvature_ = Matrix<double>::filled(static_cast<Index>(c_.size()), static_cast<Index>(c_.size()), 0.0);
    for (std::size_t k = 0; k < c_.size(); ++k) {
      const double beta = c_[k] / (weights[k] + e_[k]);
      evaluation.upper += 0.5 * c_[k] * beta;
      evaluation.linear += c_[k] * beta - 0.5 * e_[k] * beta * beta;
      evaluation.norms.push_back(beta * beta);
      curvature_(static_cast<Index>(k), static_cast<Index>(k)) = beta * beta / (weights[k] + e_[k]);
    }
    return evaluation;
  }
  Matrix<double> curvature(const mercer::Run& /*run*/) override { return Matrix<double>::copy_of(curvature_.view()); }

 private:
  std::vector<double> c_;
  std::vector<double> e_;
  Matrix<double> curvature_;
};

// Σ_k max(0, c_k/level − e_k) = 1 by bisection.
std::vector<double> filled_up(const std::vector<double>& c, const std::vector<double>& e) {
  double low = 1e-9;
  double high = 1e9;
  std::vector<double> d(c.size());
  for (int step = 0; step < 300; ++step) {
    const double level = std::sqrt(low * high);
    double sum = 0;
    for (std::size_t k = 0; k < c.size(); ++k) {
      d[k] = std::max(0.0, c[k] / level - e[k]);
      sum += d[k];
    }
    (sum > 1 ? low : high) = level;
  }
  return d;
}

TEST(KernelWeights, SparseWeightsFillUp) {
  RandomStream random(5, 1);
  for (int trial = 0; trial < 20; ++trial) {
    const std::size_t size = 2 + static_cast<std::size_t>(random.uniform() * 10);
    std::vector<double> c(size);
    std::vector<double> e(size);
    for (std::size_t k = 0; k < size; ++k) {
      c[k] = 0.1 + random.uniform();
      e[k] = 0.05 + random.uniform();
    }
    ReciprocalProblem problem(c, e);
    const std::vector<double> start(size, 1.0);
    const KernelWeights learned = learn_kernel_weights(problem, start, {.norm = 1, .tolerance = 1e-11}, {});
    EXPECT_EQ(learned.status, SolveStatus::converged);
    EXPECT_LE(learned.relative_gap(), 1e-11);
    const std::vector<double> expected = filled_up(c, e);
    for (std::size_t k = 0; k < size; ++k) {
      EXPECT_NEAR(learned.weights[k], expected[k], 1e-5);
      EXPECT_EQ(learned.weights[k] == 0, expected[k] == 0) << learned.weights[k];
    }
  }
}

TEST(KernelWeights, ClosedFormOfTheNorms) {
  const std::vector<double> c = {0.3, 1, 2, 0.7};
  const std::vector<double> e(4, 0.0);
  const std::vector<double> start = {4, 1, 1, 0.1};
  for (const double p : {1.05, 1.5, 2.0, 4.0, 50.0}) {
    ReciprocalProblem problem(c, e);
    const KernelWeights learned = learn_kernel_weights(problem, start, {.norm = p, .tolerance = 1e-10}, {});
    EXPECT_EQ(learned.status, SolveStatus::converged) << p;
    EXPECT_LE(learned.rounds, 30) << p;
    std::vector<double> expected;
    for (const double value : c) {
      expected.push_back(std::pow(value, 2 / (p + 1)));
    }
    const double length = p_norm(expected, p);
    for (std::size_t k = 0; k < c.size(); ++k) {
      EXPECT_NEAR(learned.weights[k], expected[k] / length, 2e-5) << p;
    }
    EXPECT_NEAR(p_norm(learned.weights, p), 1, 1e-12);
  }
  ReciprocalProblem problem(c, e);
  const KernelWeights all = learn_kernel_weights(problem, start, {.norm = std::numeric_limits<double>::infinity()}, {});
  EXPECT_EQ(all.weights, std::vector<double>(4, 1.0));
  EXPECT_LE(all.relative_gap(), 1e-12);
}

// With given weights the gap is the machine's own, and says how far it came.
TEST(KernelWeights, GivenWeightsConvergeWhereTheMachineDoes) {
  class Unfinished final : public WeightProblem {
   public:
    explicit Unfinished(double slack) : slack_(slack) {}
    WeightEvaluation evaluate(std::span<const double> weights, const mercer::Run& /*run*/) override {
      return {1 + slack_, 1 + 0.5 * static_cast<double>(weights.size()), std::vector<double>(weights.size(), 1.0)};
    }
    Matrix<double> curvature(const mercer::Run& /*run*/) override { return {}; }

   private:
    double slack_;
  };
  for (const std::size_t count : {1, 3}) {
    const std::vector<double> start(count, 1.0);
    const double norm = count == 1 ? 1.0 : std::numeric_limits<double>::infinity();
    Unfinished far(0.5);
    EXPECT_EQ(learn_kernel_weights(far, start, {.norm = norm}, {}).status, SolveStatus::stalled);
    Unfinished near(1e-4);
    EXPECT_EQ(learn_kernel_weights(near, start, {.norm = norm}, {}).status, SolveStatus::converged);
  }
}

TEST(KernelWeights, RoundsAreBounded) {
  ReciprocalProblem problem({1, 2, 3}, {0.1, 0.2, 0.3});
  const std::vector<double> start = {1, 1, 1};
  const KernelWeights learned =
      learn_kernel_weights(problem, start, {.norm = 1, .tolerance = 1e-14, .max_rounds = 2}, {});
  EXPECT_EQ(learned.status, SolveStatus::iteration_limit);
  EXPECT_EQ(learned.rounds, 2);
  EXPECT_GT(learned.relative_gap(), 0);
  const std::vector<double> zeros = {0, 0, 0};
  EXPECT_ERROR(learn_kernel_weights(problem, zeros, {}, {}), InvalidArgument,
               "the weights of a sum of kernels start at nonnegative numbers that are not");
  EXPECT_ERROR(learn_kernel_weights(problem, start, {.norm = 0.5}, {}), InvalidArgument, "norm = 0.5");
}

}  // namespace
}  // namespace mercer
