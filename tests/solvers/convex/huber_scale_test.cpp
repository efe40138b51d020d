// The scale of Huber's loss that is found: against a scan over given scales, each solved in the primal (a quadratic and a linear
// part of every error), and by its laws.
#include "mercer/solvers/convex/huber_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "solvers/svm_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::SvmProblem;
using testing::unbounded;

struct ScaleProblem {
  SvmProblem machine;
  Matrix<double> gram;
  std::vector<double> bounds = {};
  double price = 0;

  HuberScale problem() const { return {gram.view(), machine.targets, bounds, price}; }
};

ScaleProblem scale_problem(Index n, double nu, double cost, std::uint64_t seed) {
  RandomStream random(seed, 78);
  ScaleProblem p{.machine = testing::svm_problem(n, 2, seed), .gram = {}};
  p.gram = testing::to_matrix<double>(p.machine.kernel);
  for (Index i = 0; i < n; ++i) {
    p.bounds.push_back(cost * (0.5 + random.uniform()));
  }
  p.price = nu * testing::sum_of(p.bounds);
  return p;
}

// Variables β, b, s, u: min ½βᵀKβ + Σ C s²/(2σ) + Σ C u + Bσ/2, −u ≤ y − Kβ − b − s ≤ u.
double primal_at(const ScaleProblem& p, double scale) {
  const Index n = p.gram.rows();
  const Index size = 3 * n + 1;
  Matrix<double> quadratic = Matrix<double>::filled(size, size, 0.0);
  Matrix<double> range = Matrix<double>::filled(2 * n, size, 0.0);
  ConvexProgram program{.linear = std::vector<double>(static_cast<std::size_t>(size), 0.0)};
  program.lower.assign(static_cast<std::size_t>(size), -unbounded);
  program.upper.assign(static_cast<std::size_t>(size), unbounded);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      quadratic(i, j) = p.gram(i, j);
    }
    quadratic(n + 1 + i, n + 1 + i) = p.bounds[i] / scale;
    program.linear[2 * n + 1 + i] = p.bounds[i];
    program.lower[2 * n + 1 + i] = 0;
    for (const Index side : {0, 1}) {
      const Index r = 2 * i + side;
      for (Index j = 0; j < n; ++j) {
        range(r, j) = p.gram(i, j);
      }
      range(r, n) = 1;
      range(r, n + 1 + i) = 1;
      range(r, 2 * n + 1 + i) = side == 0 ? 1 : -1;
      program.range_lower.push_back(side == 0 ? p.machine.targets[i] : -unbounded);
      program.range_upper.push_back(side == 0 ? unbounded : p.machine.targets[i]);
    }
  }
  program.quadratic = std::make_shared<DenseQuadratic>(quadratic.view());
  program.range = range.view();
  const ConvexSolution found = solve_convex_program(program, {.tolerance = 1e-9}, {});
  EXPECT_EQ(found.status, ProgramStatus::converged) << found.message;
  return found.primal + p.price * scale / 2;
}

TEST(HuberScale, IsTheLeastOfAScan) {
  for (const double nu : {0.05, 0.3, 0.8}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const ScaleProblem p = scale_problem(24, nu, std::pow(10.0, static_cast<double>(seed) - 2), seed);
      const HuberScaleSolution found = solve_huber_scale(p.problem(), 1e-8, {});
      SCOPED_TRACE(::testing::Message() << "nu " << nu << " seed " << seed << " scale " << found.scale);
      EXPECT_EQ(found.status, SolveStatus::converged);
      EXPECT_LE(found.relative_gap, 1e-9);
      ASSERT_GT(found.scale, 0);
      EXPECT_NEAR(primal_at(p, found.scale), found.primal, 1e-6 * found.primal);
      for (const double factor : {0.01, 0.3, 0.9, 1.1, 3.0, 30.0}) {
        EXPECT_GT(primal_at(p, factor * found.scale), found.primal) << "factor " << factor;
      }
    }
  }
}

// Σ C min(1, (ξ/σ)²) = νΣC, so that rows beyond σ are a fraction ν or less; and β is the slope of the loss.
TEST(HuberScale, HoldsTheFractionOfRowsBeyondIt) {
  for (const double nu : {0.02, 0.2, 0.5, 0.9}) {
    const ScaleProblem p = scale_problem(60, nu, 2.0, 11);
    const HuberScaleSolution found = solve_huber_scale(p.problem(), 1e-8, {});
    ASSERT_GT(found.scale, 0) << nu;
    double sum = 0;
    double beyond = 0;
    double total = 0;
    for (Index i = 0; i < 60; ++i) {
      const double error = (p.machine.targets[i] - found.values[i] - found.offset) / found.scale;
      sum += p.bounds[i] * std::min(1.0, error * error);
      beyond += std::abs(error) > 1 + 1e-9 ? p.bounds[i] : 0;
      total += found.coefficients[i];
      EXPECT_NEAR(found.coefficients[i], p.bounds[i] * std::clamp(error, -1.0, 1.0), 1e-7 * p.bounds[i]);
    }
    EXPECT_NEAR(sum, p.price, 1e-7 * p.price);
    EXPECT_LE(beyond, p.price * (1 + 1e-9));
    EXPECT_NEAR(total, 0.0, 1e-9 * p.price);
  }
}

// A function through all rows costs less than C: then no error is left to be scaled, and the ball is not reached.
TEST(HuberScale, IsNoneWhereNoErrorIsLeft) {
  ScaleProblem p = scale_problem(20, 0.5, 1.0, 5);
  for (Index i = 0; i < 20; ++i) {
    p.gram(i, i) += 1;
    p.bounds[i] = 1e4;
  }
  p.price = 0.5 * 20 * 1e4;
  const HuberScaleSolution found = solve_huber_scale(p.problem(), 1e-6, {});
  EXPECT_EQ(found.status, SolveStatus::converged);
  EXPECT_EQ(found.scale, 0);
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(found.values[i] + found.offset, p.machine.targets[i], 1e-6);
  }
}

TEST(HuberScale, DegenerateRows) {
  ScaleProblem p = scale_problem(12, 0.3, 1.0, 6);
  p.machine.targets.assign(12, 3.5);
  const HuberScaleSolution equal = solve_huber_scale(p.problem(), 1e-8, {});
  EXPECT_EQ(equal.offset, 3.5);
  EXPECT_EQ(equal.scale, 0);

  // Without a kernel: half of the rows at 1, half at −1. ξ = ±1, σ = 1/√ν (min ν σ/2 + 1/(2σ)).
  p.gram = Matrix<double>::filled(12, 12, 0.0);
  p.bounds.assign(12, 1.0);
  p.price = 12 * 0.25;
  for (Index i = 0; i < 12; ++i) {
    p.machine.targets[i] = i % 2 == 0 ? 1.0 : -1.0;
  }
  const HuberScaleSolution halves = solve_huber_scale(p.problem(), 1e-8, {});
  EXPECT_EQ(halves.status, SolveStatus::converged);
  EXPECT_NEAR(halves.scale, 2.0, 1e-7);
  EXPECT_NEAR(halves.offset, 0.0, 1e-7);

  p.price = 0;
  EXPECT_ERROR(solve_huber_scale(p.problem(), 1e-8, {}), InvalidArgument, "the price is not positive");
}

TEST(HuberScale, FollowsTheUnitsOfTheTargets) {
  const ScaleProblem p = scale_problem(30, 0.2, 1.0, 8);
  const HuberScaleSolution one = solve_huber_scale(p.problem(), 1e-8, {});
  for (const double unit : {1e-8, 1e8}) {
    ScaleProblem other = scale_problem(30, 0.2, 1.0, 8);
    for (double& y : other.machine.targets) {
      y *= unit;
    }
    for (double& bound : other.bounds) {
      bound *= unit;
    }
    other.price *= unit;
    const HuberScaleSolution scaled = solve_huber_scale(other.problem(), 1e-8, {});
    EXPECT_EQ(scaled.status, SolveStatus::converged);
    EXPECT_NEAR(scaled.scale, one.scale * unit, 1e-7 * one.scale * unit);
  }
}

}  // namespace
}  // namespace mercer
