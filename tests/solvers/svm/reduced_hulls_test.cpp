// Nearest points of reduced convex hulls: against the general interior point method, ν-SVC, the hard margin, and what
// can be seen.
#include "mercer/solvers/svm/reduced_hulls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mercer/base/error.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "solvers/svm_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::stored_gram;
using testing::svm_problem;
using testing::SvmProblem;

constexpr BoxQpOptions hulls_exactly{.tolerance = 1e-9};

struct WeightedHulls {
  explicit WeightedHulls(std::uint64_t seed)
      : problem(svm_problem(40, 2, seed)), gram(stored_gram<double>(problem.kernel)) {
    RandomStream random(seed, 31);
    for (Index i = 0; i < problem.size(); ++i) {
      weights.push_back(0.5 + random.uniform());
    }
  }
  ReducedHulls solve(double mu) const {
    return solve_reduced_hulls(gram, problem.signs, weights, mu, hulls_exactly, mercer::Run());
  }
  double total(double sign) const {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sum += problem.signs[i] == sign ? weights[i] : 0;
    }
    return sum;
  }
  // Σ_i β_i k(x_i, x_j)
  std::vector<double> values(const std::vector<double>& beta) const {
    std::vector<double> f(weights.size(), 0.0);
    for (Index j = 0; j < problem.size(); ++j) {
      for (Index i = 0; i < problem.size(); ++i) {
        f[j] += beta[i] * problem.kernel(i, j);
      }
    }
    return f;
  }

  SvmProblem problem;
  DenseGram<double> gram;
  std::vector<double> weights;
};

TEST(ReducedHulls, NearestPointsOfTheInteriorPointMethod) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const WeightedHulls h(seed);
    const double least = least_hull_bound(h.problem.signs, h.weights);
    EXPECT_NEAR(least, 1 / std::min(h.total(1), h.total(-1)), 1e-15);
    for (const double factor : {1.0, 1.05, 1.2}) {
      const double mu = factor * least;
      const ReducedHulls hulls = h.solve(mu);
      EXPECT_EQ(hulls.status, SolveStatus::converged);
      ConvexProgram program;
      oracle::Dense quadratic(40, 40);
      Matrix<double> sums = Matrix<double>::filled(2, 40, 0.0);
      double positive = 0;
      double negative = 0;
      for (Index i = 0; i < 40; ++i) {
        for (Index j = 0; j < 40; ++j) {
          quadratic(i, j) = h.problem.signs[i] * h.problem.signs[j] * h.problem.kernel(i, j);
        }
        sums(h.problem.signs[i] > 0 ? 0 : 1, i) = 1;
        program.upper.push_back(mu * h.weights[i]);
        EXPECT_GE(hulls.shares[i], 0);
        EXPECT_LE(hulls.shares[i], mu * h.weights[i] * (1 + 1e-12));
        (h.problem.signs[i] > 0 ? positive : negative) += hulls.shares[i];
      }
      EXPECT_NEAR(positive, 1, 1e-12);
      EXPECT_NEAR(negative, 1, 1e-12);
      program.quadratic = std::make_shared<DenseQuadratic>(quadratic.matrix());
      program.linear.assign(40, 0.0);
      program.lower.assign(40, 0.0);
      program.equality = sums.view();
      program.equality_values = {1, 1};
      const ConvexSolution exact = solve_convex_program(program, {.tolerance = 1e-10}, mercer::Run());
      EXPECT_NEAR(hulls.distance * hulls.distance, 2 * exact.primal, 1e-7);
    }
  }
}

// ‖w‖ = 2/distance, the values of the nearest points are 1 and −1, and the margin is that of ν-SVC.
TEST(ReducedHulls, PlaneHalfWayAndNuSvc) {
  const WeightedHulls h(5);
  const double mu = 1.3 * least_hull_bound(h.problem.signs, h.weights);
  const ReducedHulls hulls = h.solve(mu);
  const std::vector<double> f = h.values(hulls.coefficients);
  double squared = 0;
  double at_positive = 0;
  double at_negative = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    squared += hulls.coefficients[i] * f[i];
    (h.problem.signs[i] > 0 ? at_positive : at_negative) += hulls.shares[i] * (f[i] + hulls.offset);
  }
  EXPECT_NEAR(std::sqrt(squared) * hulls.distance, 2, 1e-8);
  EXPECT_NEAR(at_positive, 1, 1e-8);
  EXPECT_NEAR(at_negative, -1, 1e-8);
  const SvmDual nu =
      solve_nu_svc(h.gram, h.problem.signs, nu_of_hull_bound(h.weights, mu), h.weights, hulls_exactly, mercer::Run());
  const double unit = hulls.margin;  // ν-SVC has a margin of 1
  for (std::size_t i = 0; i < f.size(); ++i) {
    EXPECT_NEAR(nu.values[i] * unit, f[i], 1e-6);
    const double at = h.problem.signs[i] * (f[i] + hulls.margin_offset);
    const bool is_free = hulls.shares[i] > 1e-6 && hulls.shares[i] < mu * h.weights[i] - 1e-6;
    if (is_free) {
      EXPECT_NEAR(at, hulls.margin, 1e-6);
    }
  }
  EXPECT_NEAR(nu.offset * unit, hulls.margin_offset, 1e-6);
}

TEST(ReducedHulls, WithoutABoundTheHardMargin) {
  SvmProblem problem = svm_problem(30, 2, 6);
  for (Index i = 0; i < 30; ++i) {
    problem.signs[i] = problem.x(i, 0) > 0 ? 1 : -1;
    problem.x(i, 0) += 0.5 * problem.signs[i];
  }
  const oracle::Dense kernel = testing::gaussian_kernel(problem.x, 0.3);
  const DenseGram<double> gram = stored_gram<double>(kernel);
  const std::vector<double> ones(30, 1.0);
  const std::vector<double> no_bounds(30, testing::unbounded);
  const SvmDual hard = solve_c_svc(gram, problem.signs, no_bounds, hulls_exactly, mercer::Run());
  for (const double mu : {1.0, 7.0}) {
    const ReducedHulls hulls = solve_reduced_hulls(gram, problem.signs, ones, mu, hulls_exactly, mercer::Run());
    EXPECT_NEAR(hulls.margin, 1, 1e-6);
    EXPECT_NEAR(hulls.offset, hard.offset, 1e-5);
    EXPECT_NEAR(hulls.margin_offset, hard.offset, 1e-5);
    for (Index i = 0; i < 30; ++i) {
      double f = 0;
      for (Index j = 0; j < 30; ++j) {
        f += hulls.coefficients[j] * kernel(i, j);
      }
      EXPECT_NEAR(f, hard.values[i], 1e-5);
    }
  }
}

TEST(ReducedHulls, WhatCanBeSeen) {
  // 0, 1, 2 against 10 and 14 on a line.
  const std::vector<double> x = {0, 1, 2, 10, 14};
  const std::vector<double> signs = {-1, -1, -1, 1, 1};
  oracle::Dense kernel(5, 5);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) {
      kernel(i, j) = x[i] * x[j];
    }
  }
  const DenseGram<double> gram = stored_gram<double>(kernel);
  const std::vector<double> ones(5, 1.0);
  const auto distance = [&](double mu, const std::vector<double>& weights) {
    return solve_reduced_hulls(gram, signs, weights, mu, hulls_exactly, mercer::Run());
  };
  const ReducedHulls whole = distance(1, ones);
  EXPECT_NEAR(whole.distance, 8, 1e-9);
  EXPECT_NEAR(whole.offset, -6.0 / 4, 1e-9);  // (x − 6)/4
  // At most half each: 1.5 and 12.
  const ReducedHulls half = distance(0.5, ones);
  EXPECT_NEAR(half.distance, 10.5, 1e-9);
  EXPECT_NEAR(half.offset * 10.5 / 2, -6.75, 1e-8);
  EXPECT_NEAR(half.shares[2], 0.5, 1e-9);
  EXPECT_NEAR(half.shares[4], 0.5, 1e-9);
  // A row of weight 2 may count twice.
  EXPECT_NEAR(distance(0.5, {1, 1, 2, 2, 1}).distance, 8, 1e-9);
  EXPECT_ERROR(distance(0.4, ones), InvalidArgument, "the bound must be 0.5 at least");
  EXPECT_ERROR(distance(0, ones), InvalidArgument, "bound of a sample in its hull = 0");
  EXPECT_ERROR(distance(std::numeric_limits<double>::infinity(), ones), InvalidArgument, "bound of a sample");
  // Whole hulls that meet, of 0, 1, 12 and 10, 14; drawn in they are apart.
  const std::vector<double> mixed = {0, 1, 12, 10, 14};
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) {
      kernel(i, j) = mixed[i] * mixed[j];
    }
  }
  const DenseGram<double> crossing = stored_gram<double>(kernel);
  EXPECT_ERROR(solve_reduced_hulls(crossing, signs, ones, 1, hulls_exactly, mercer::Run()), NumericalError,
               "the reduced hulls meet");
  EXPECT_NEAR(solve_reduced_hulls(crossing, signs, ones, 0.5, hulls_exactly, mercer::Run()).distance, 12 - 6.5, 1e-9);
}

}  // namespace
}  // namespace mercer
