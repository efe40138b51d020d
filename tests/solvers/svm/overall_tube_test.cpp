// Regression with a mean error of ε: the gap of primal and dual, the mean error, and the interior point on the dual with the
// share u for a variable.
#include "mercer/solvers/svm/overall_tube.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/svm/regression_dual.h"
#include "solvers/svm_oracle.h"

namespace mercer {
namespace {

using testing::constant;
using testing::SvmProblem;

SvmDual overall(const SvmProblem& p, double epsilon, const std::vector<double>& bounds, double tolerance) {
  const DenseGram<double> gram = testing::stored_gram(p.kernel);
  return solve_overall_tube(
      p.targets, epsilon, bounds, tolerance, [&](std::span<const double> limits, std::span<const double> start) {
        return solve_epsilon_svr(gram, p.targets, 0.0, limits, {.tolerance = tolerance / 10}, {}, start);
      });
}

// Variables a⁺, a⁻, u: min ½βᵀKβ − yᵀβ + u ε ΣC, a ≤ u C as ranges.
double overall_dual_optimum(const SvmProblem& p, double epsilon, const std::vector<double>& bounds) {
  const Index n = p.size();
  const Index size = 2 * n + 1;
  Matrix<double> quadratic = Matrix<double>::filled(size, size, 0.0);
  Matrix<double> sums = Matrix<double>::filled(1, size, 0.0);
  Matrix<double> range = Matrix<double>::filled(2 * n, size, 0.0);
  ConvexProgram program{.linear = std::vector<double>(static_cast<std::size_t>(size), 0.0), .equality_values = {0.0}};
  for (Index s = 0; s < 2 * n; ++s) {
    const double sign = s < n ? 1.0 : -1.0;
    for (Index t = 0; t < 2 * n; ++t) {
      quadratic(s, t) = sign * (t < n ? 1.0 : -1.0) * p.kernel(s % n, t % n);
    }
    program.linear[s] = -sign * p.targets[s % n];
    sums(0, s) = sign;
    range(s, s) = 1;
    range(s, 2 * n) = -bounds[s % n];
  }
  program.linear[2 * n] = epsilon * testing::sum_of(bounds);
  program.lower.assign(static_cast<std::size_t>(size), 0.0);
  program.upper.assign(static_cast<std::size_t>(size), testing::unbounded);
  program.upper[2 * n] = 1;
  program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
  program.equality = sums.view();
  program.range = range.view();
  program.range_upper.assign(static_cast<std::size_t>(2 * n), 0.0);
  const ConvexSolution solution = solve_convex_program(program, {.tolerance = 1e-9}, {});
  EXPECT_EQ(solution.status, ProgramStatus::converged) << solution.message;
  return solution.primal;
}

double mean_error(const SvmProblem& p, const std::vector<double>& bounds, const SvmDual& dual) {
  double sum = 0;
  for (Index i = 0; i < p.size(); ++i) {
    sum += bounds[i] * std::abs(p.targets[i] - dual.values[i] - dual.offset);
  }
  return sum / testing::sum_of(bounds);
}

TEST(OverallTube, IsOptimalAndMeetsItsMeanError) {
  Index inside = 0;
  Index at_the_end = 0;
  Index constants = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomStream random(seed, 78);
    const SvmProblem p = testing::svm_problem(testing::random_size(seed, 2, 40), 2, seed);
    std::vector<double> bounds;
    const double cost = std::pow(10.0, 4 * random.uniform() - 2);
    for (Index i = 0; i < p.size(); ++i) {
      bounds.push_back(cost * (0.5 + random.uniform()));
    }
    const double epsilon = seed % 5 == 0 ? 0.0 : random.uniform();
    const SvmDual dual = overall(p, epsilon, bounds, 1e-7);
    EXPECT_EQ(dual.status, SolveStatus::converged) << seed;
    const double error = mean_error(p, bounds, dual);
    double norm = 0;
    for (Index i = 0; i < p.size(); ++i) {
      norm += dual.coefficients[i] * dual.values[i];
      EXPECT_LE(std::abs(dual.coefficients[i]), dual.share * bounds[i] * (1 + 1e-12));
    }
    const double total = testing::sum_of(bounds);
    const double primal = norm / 2 + total * std::max(0.0, error - epsilon);
    EXPECT_NEAR(primal, -dual.objective, 1e-5 * (total * std::max(1e-3, dual.share) + primal)) << seed;
    EXPECT_NEAR(dual.objective, overall_dual_optimum(p, epsilon, bounds),
                1e-5 * (total * std::max(1e-3, dual.share) + primal))
        << seed;
    if (dual.share > 0 && dual.share < 1) {
      ++inside;
      EXPECT_NEAR(error, epsilon, 1e-6) << seed;
    } else if (dual.share == 0) {
      ++constants;
      EXPECT_LE(error, epsilon);
    } else {
      ++at_the_end;
      EXPECT_GE(error, epsilon - 1e-6);
    }
  }
  EXPECT_GT(inside, 5);
  EXPECT_GT(at_the_end, 3);
  EXPECT_GT(constants, 1);
}

TEST(OverallTube, ConstantTargetsAndOneRow) {
  SvmProblem p = testing::svm_problem(10, 2, 3);
  p.targets = constant(10, 5e8);
  const SvmDual dual = overall(p, 0.0, constant(10, 1), 1e-6);
  EXPECT_EQ(dual.offset, 5e8);
  EXPECT_EQ(dual.share, 0);
  SvmProblem one = testing::svm_problem(2, 1, 3);
  one.kernel = oracle::Dense(1, 1);
  one.x = oracle::Dense(1, 1);
  one.targets = {-3};
  EXPECT_EQ(overall(one, 0.1, {1.0}, 1e-6).offset, -3);
}

}  // namespace
}  // namespace mercer
