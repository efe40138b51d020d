// Tubes of a given shape against the primal programme (a slack variable per row, a width per function), against ε- and
// ν-SVR, and by the laws of Schölkopf & Smola (2002), proposition 9.5 in its weighted form.
#include "mercer/solvers/convex/shaped_tube.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/svm/regression_dual.h"
#include "solvers/svm_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::constant;
using testing::SvmProblem;
using testing::unbounded;

// A problem of the oracle with shapes of widths, some of them 0.
struct TubeProblem {
  SvmProblem machine;
  Matrix<double> gram;
  Matrix<double> shapes;
  std::vector<double> bounds = {};
  std::vector<double> fixed = {};
  std::vector<double> prices = {};

  ShapedTube tube() const { return {gram.view(), machine.targets, bounds, fixed, shapes.view(), prices}; }
};

TubeProblem tube_problem(Index n, Index functions, std::uint64_t seed) {
  RandomStream random(seed, 77);
  TubeProblem problem{.machine = testing::svm_problem(n, 2, seed), .gram = {}, .shapes = Matrix<double>(n, functions)};
  problem.gram = testing::to_matrix<double>(problem.machine.kernel);
  const double cost = std::pow(10.0, 2 * random.uniform() - 1);
  for (Index i = 0; i < n; ++i) {
    problem.bounds.push_back(cost * (0.5 + random.uniform()));
    problem.fixed.push_back(random.uniform() < 0.5 ? 0.0 : 0.2 * random.uniform());
    for (Index q = 0; q < functions; ++q) {
      problem.shapes(i, q) = q == 0 ? 1.0 : std::max(0.0, random.uniform() - 0.2);
    }
  }
  const double total = testing::sum_of(problem.bounds);
  for (Index q = 0; q < functions; ++q) {
    problem.prices.push_back(total * 0.5 * random.uniform());
  }
  return problem;
}

// Variables β, b, ε, ξ: min ½βᵀKβ + Σ B ε + Σ C ξ, −w − ξ ≤ y − Kβ − b ≤ w + ξ. Where C is infinite there is no ξ.
double primal_tube_optimum(const TubeProblem& p) {
  const Index n = p.gram.rows();
  const Index functions = p.shapes.columns();
  const Index size = n + 1 + functions + n;
  Matrix<double> quadratic = Matrix<double>::filled(size, size, 0.0);
  Matrix<double> range = Matrix<double>::filled(2 * n, size, 0.0);
  ConvexProgram program{.linear = std::vector<double>(static_cast<std::size_t>(size), 0.0)};
  program.lower.assign(static_cast<std::size_t>(size), -unbounded);
  program.upper.assign(static_cast<std::size_t>(size), unbounded);
  for (Index q = 0; q < functions; ++q) {
    program.linear[n + 1 + q] = p.prices[q];
    program.lower[n + 1 + q] = 0;
  }
  for (Index i = 0; i < n; ++i) {
    std::copy_n(p.gram.view().row_data(i), n, quadratic.view().row_data(i));
    program.linear[n + 1 + functions + i] = std::isinf(p.bounds[i]) ? 0.0 : p.bounds[i];
    program.lower[n + 1 + functions + i] = 0;
    program.upper[n + 1 + functions + i] = std::isinf(p.bounds[i]) ? 0.0 : unbounded;
    for (const Index side : {0, 1}) {
      const Index r = i + side * n;
      const double sign = side == 0 ? 1.0 : -1.0;  // sign (f − y) + w + ξ ≥ 0
      for (Index j = 0; j < n; ++j) {
        range(r, j) = sign * p.gram(i, j);
      }
      range(r, n) = sign;
      for (Index q = 0; q < functions; ++q) {
        range(r, n + 1 + q) = p.shapes(i, q);
      }
      range(r, n + 1 + functions + i) = 1;
    }
  }
  for (const double sign : {1.0, -1.0}) {
    for (Index i = 0; i < n; ++i) {
      program.range_lower.push_back(sign * p.machine.targets[i] - p.fixed[i]);
      program.range_upper.push_back(unbounded);
    }
  }
  program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
  program.range = range.view();
  const ConvexSolution solution = solve_convex_program(program, {.tolerance = 1e-9}, {});
  EXPECT_EQ(solution.status, ProgramStatus::converged) << solution.message;
  return solution.primal;
}

double residual(const TubeProblem& p, const ShapedTubeSolution& s, Index i) {
  return p.machine.targets[i] - s.values[i] - s.offset;
}
double width(const TubeProblem& p, const ShapedTubeSolution& s, Index i) {
  double sum = p.fixed[i];
  for (Index q = 0; q < p.shapes.columns(); ++q) {
    sum += s.widths[q] * p.shapes(i, q);
  }
  return sum;
}

TEST(ShapedTube, IsTheOptimumOfThePrimalProgramme) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const TubeProblem p = tube_problem(testing::random_size(seed, 2, 30), static_cast<Index>(seed % 4), seed);
    const ShapedTubeSolution s = solve_shaped_tube(p.tube(), 1e-6, {});
    EXPECT_EQ(s.status, SolveStatus::converged) << seed;
    const double optimum = primal_tube_optimum(p);
    const double slip = 1e-6 * (testing::sum_of(p.bounds) * 1e-2 + std::abs(optimum));
    EXPECT_NEAR(s.primal, optimum, slip) << seed;
    EXPECT_NEAR(s.dual, optimum, slip) << seed;
    EXPECT_NEAR(testing::sum_of(s.coefficients), 0, 1e-9 * testing::sum_of(p.bounds)) << seed;
    for (Index q = 0; q < p.shapes.columns(); ++q) {
      double spent = 0;
      for (Index i = 0; i < p.gram.rows(); ++i) {
        spent += std::abs(s.coefficients[i]) * p.shapes(i, q);
      }
      EXPECT_LE(spent, p.prices[q] * (1 + 1e-7) + 1e-12) << seed;
      EXPECT_GE(s.widths[q], 0);
    }
  }
}

// Row by row: 0 inside, the bound outside, between them on the edge.
TEST(ShapedTube, RowsAreOnTheirSideOfTheEdge) {
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    const TubeProblem p = tube_problem(40, 1 + static_cast<Index>(seed % 3), seed);
    const ShapedTubeSolution s = solve_shaped_tube(p.tube(), 1e-6, {});
    for (Index i = 0; i < 40; ++i) {
      const double beta = s.coefficients[i];
      const double r = residual(p, s, i);
      const double w = width(p, s, i);
      EXPECT_LE(std::abs(beta), p.bounds[i]);
      if (std::abs(beta) < p.bounds[i]) {
        EXPECT_LE(std::abs(r), w + 1e-5) << seed << " " << i;
      }
      if (beta != 0) {
        EXPECT_GE(std::copysign(1.0, beta) * r, w - 1e-5) << seed << " " << i;
      }
    }
  }
}

TEST(ShapedTube, OfWidthOneItIsNuSvr) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    TubeProblem p = tube_problem(50, 1, seed);
    p.fixed.assign(50, 0.0);
    const double nu = 0.1 + 0.07 * static_cast<double>(seed);
    p.prices = {nu * testing::sum_of(p.bounds)};
    const ShapedTubeSolution s = solve_shaped_tube(p.tube(), 1e-6, {});
    const SvmDual dual =
        solve_nu_svr(testing::stored_gram(p.machine.kernel), p.machine.targets, nu, p.bounds, {.tolerance = 1e-9}, {});
    EXPECT_NEAR(s.widths[0], dual.margin, 1e-5) << seed;
    EXPECT_NEAR(-s.dual, dual.objective, 1e-6 * (1 + std::abs(dual.objective))) << seed;
    for (Index i = 0; i < 50; ++i) {
      EXPECT_NEAR(s.values[i] + s.offset, dual.values[i] + dual.offset, 1e-4) << seed;
    }
  }
}

TEST(ShapedTube, OfGivenWidthsItIsEpsilonSvrOfATubePerRow) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const TubeProblem p = tube_problem(50, 0, seed);
    const ShapedTubeSolution s = solve_shaped_tube(p.tube(), 1e-6, {});
    const SvmDual dual = solve_epsilon_svr(testing::stored_gram(p.machine.kernel), p.machine.targets,
                                           std::span<const double>(p.fixed), p.bounds, {.tolerance = 1e-9}, {});
    EXPECT_NEAR(-s.dual, dual.objective, 1e-6 * (1 + std::abs(dual.objective))) << seed;
    for (Index i = 0; i < 50; ++i) {
      EXPECT_NEAR(s.values[i] + s.offset, dual.values[i] + dual.offset, 1e-4) << seed;
    }
  }
}

// (1/m) Σ_errors ζ ≤ ν ≤ (1/m) Σ_SV ζ, for every function with a width.
TEST(ShapedTube, WeightedFractionsAreOnBothSidesOfNu) {
  Index wide = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TubeProblem p = tube_problem(80, 2, seed);
    p.fixed.assign(80, 0.0);
    p.bounds = constant(80, 3);
    p.prices = {0.3 * 240, 0.1 * 240};
    const ShapedTubeSolution s = solve_shaped_tube(p.tube(), 1e-8, {});
    for (const Index q : {0, 1}) {
      if (s.widths[q] == 0) {
        continue;
      }
      ++wide;
      double errors = 0;
      double supports = 0;
      for (Index i = 0; i < 80; ++i) {
        errors += std::abs(s.coefficients[i]) == 3 ? p.shapes(i, q) : 0.0;
        supports += s.coefficients[i] != 0 ? p.shapes(i, q) : 0.0;
      }
      const double nu = q == 0 ? 0.3 : 0.1;
      EXPECT_LE(errors / 80, nu + 1e-9) << seed;
      EXPECT_GE(supports / 80, nu - 1e-9) << seed;
    }
  }
  EXPECT_GT(wide, 15);
}

TEST(ShapedTube, WithoutSlackEveryRowIsWithin) {
  Index solved = 0;
  Index refused = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    TubeProblem p = tube_problem(testing::random_size(seed, 3, 25), 0, seed);
    p.bounds.assign(p.bounds.size(), unbounded);
    p.fixed.assign(p.bounds.size(), 0.02 + 0.1 * static_cast<double>(seed % 4));
    const ShapedTubeSolution s = solve_shaped_tube(p.tube(), 1e-6, {});
    if (s.least_excess) {
      EXPECT_GT(*s.least_excess, 0) << seed;
      // The width that is named is necessary and enough.
      const double least = p.fixed[0] + *s.least_excess;
      p.fixed.assign(p.bounds.size(), 0.999 * least);
      EXPECT_TRUE(solve_shaped_tube(p.tube(), 1e-6, {}).least_excess.has_value()) << seed;
      p.fixed.assign(p.bounds.size(), 1.001 * least);
      EXPECT_FALSE(solve_shaped_tube(p.tube(), 1e-6, {}).least_excess.has_value()) << seed;
      ++refused;
      continue;
    }
    ++solved;
    EXPECT_EQ(s.status, SolveStatus::converged) << seed;
    for (Index i = 0; i < p.gram.rows(); ++i) {
      EXPECT_LE(std::abs(residual(p, s, i)), p.fixed[i] + 1e-6) << seed;
    }
    EXPECT_NEAR(s.primal, primal_tube_optimum(p), 1e-5 * (1 + s.primal)) << seed;
  }
  EXPECT_GT(solved, 10);
  EXPECT_GT(refused, 3);
}

// A line through three points that are not on one: (0, 0), (1, 1), (2, 0) need a tube of ½.
TEST(ShapedTube, NamesTheLeastWidthThatIsEnough) {
  const Matrix<double> gram =
      Matrix<double>::copy_of(ConstMatrixView<double>(std::vector<double>{0, 0, 0, 0, 1, 2, 0, 2, 4}.data(), 3, 3));
  const std::vector<double> y = {0, 1, 0};
  const std::vector<double> bounds = constant(3, unbounded);
  const auto solve = [&](double epsilon) {
    const std::vector<double> fixed = constant(3, epsilon);
    return solve_shaped_tube({gram.view(), y, bounds, fixed, {}, {}}, 1e-6, {});
  };
  const ShapedTubeSolution narrow = solve(0.4);
  ASSERT_TRUE(narrow.least_excess.has_value());
  EXPECT_NEAR(*narrow.least_excess, 0.1, 1e-6);
  for (const double epsilon : {0.0, 0.01, 0.3, 0.49}) {
    EXPECT_NEAR(epsilon + solve(epsilon).least_excess.value_or(0.0), 0.5, 1e-6) << epsilon;
  }
  EXPECT_FALSE(solve(0.51).least_excess.has_value());
}

// One slack for both sides of a row: the dual bounds a⁺ + a⁻ by C, not each, and the optimum is the same (problem 9.2).
TEST(ShapedTube, OneSlackPerRowIsTheSameMachine) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const TubeProblem p = tube_problem(20, 0, seed);
    Matrix<double> quadratic(40, 40);
    Matrix<double> sums(1, 40);
    Matrix<double> range = Matrix<double>::filled(20, 40, 0.0);
    ConvexProgram program{.equality_values = {0.0}};
    for (Index s = 0; s < 40; ++s) {
      const double sign = s < 20 ? 1.0 : -1.0;
      for (Index t = 0; t < 40; ++t) {
        quadratic(s, t) = sign * (t < 20 ? 1.0 : -1.0) * p.gram(s % 20, t % 20);
      }
      sums(0, s) = sign;
      range(s % 20, s) = 1;
      program.linear.push_back(p.fixed[s % 20] - sign * p.machine.targets[s % 20]);
      program.lower.push_back(0.0);
    }
    program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
    program.equality = sums.view();
    program.range = range.view();
    program.range_upper = p.bounds;
    const ConvexSolution one_slack = solve_convex_program(program, {.tolerance = 1e-9}, {});
    ASSERT_EQ(one_slack.status, ProgramStatus::converged) << one_slack.message;
    const ShapedTubeSolution two = solve_shaped_tube(p.tube(), 1e-6, {});
    EXPECT_NEAR(-one_slack.primal, two.dual, 1e-6 * (1 + std::abs(two.dual))) << seed;
  }
}

TEST(ShapedTube, DegenerateProblems) {
  const Matrix<double> one = Matrix<double>::filled(1, 1, 1.0);
  const std::vector<double> y = {7};
  const std::vector<double> c = {1};
  const std::vector<double> price = {0.5};
  const ShapedTubeSolution single = solve_shaped_tube({one.view(), y, c, {}, one.view(), price}, 1e-6, {});
  EXPECT_EQ(single.offset, 7);
  EXPECT_EQ(single.widths, std::vector<double>{0});
  EXPECT_EQ(single.coefficients, std::vector<double>{0});

  TubeProblem p = tube_problem(20, 3, 5);  // more functions than there are different rows
  for (Index i = 0; i < 20; ++i) {
    p.machine.targets[i] = -4e6;
  }
  p.fixed.assign(20, 0.0);
  EXPECT_EQ(solve_shaped_tube(p.tube(), 1e-6, {}).offset, -4e6);
  for (const double unit : {1e-9, 1e9}) {
    TubeProblem scaled = tube_problem(30, 2, 6);
    const ShapedTubeSolution before = solve_shaped_tube(scaled.tube(), 1e-6, {});
    for (Index i = 0; i < 30; ++i) {
      scaled.machine.targets[i] *= unit;
      scaled.bounds[i] *= unit;
      scaled.fixed[i] *= unit;
    }
    scaled.prices[0] *= unit;
    scaled.prices[1] *= unit;
    const ShapedTubeSolution after = solve_shaped_tube(scaled.tube(), 1e-6, {});
    EXPECT_EQ(after.status, SolveStatus::converged);
    EXPECT_NEAR(after.widths[0], unit * before.widths[0], 1e-6 * unit);
    EXPECT_NEAR(after.offset, unit * before.offset, 1e-5 * unit);
  }
  EXPECT_ERROR(solve_shaped_tube({one.view(), y, c, {}, one.view(), {}}, 1e-6, {}), InvalidArgument,
               "not of one length");
}

}  // namespace
}  // namespace mercer
