// Linear programs whose tube is found: primal against dual, the property of ν, degenerate rows.
#include "mercer/solvers/convex/tube_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

struct Problem {
  Problem(Index n, Index m, std::uint64_t seed, double unit = 1) : features(n, m) {
    RandomStream random(seed, 5);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        features(i, j) = random.normal();
      }
      targets.push_back(unit * (features(i, 0) + 0.4 * random.normal()));
      weights.push_back(0.5 + random.uniform());
    }
  }
  TubeProgramSolution solve(double nu, double price) const {
    return solve_tube_program(features.view(), targets, weights, nu, Numbers(features.columns(), price),
                              {.offset = ProgramOffset::free}, mercer::Run());
  }
  Numbers residuals(const TubeProgramSolution& solution) const {
    Numbers r;
    for (Index i = 0; i < features.rows(); ++i) {
      double f = solution.program.offset;
      for (Index j = 0; j < features.columns(); ++j) {
        f += features(i, j) * solution.program.coefficients[j];
      }
      r.push_back(targets[i] - f);
    }
    return r;
  }
  double total() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }

  Matrix<double> features;
  Numbers targets, weights;
};

// The objective is that of the coefficients and the tube that are given; θ is feasible, and its value is as large.
TEST(TubeProgram, PrimalIsDual) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Problem problem(50, 12, seed);
    for (const double nu : {0.1, 0.5, 0.9}) {
      const TubeProgramSolution solution = problem.solve(nu, 2.0);
      EXPECT_EQ(solution.program.status, SolveStatus::converged);
      const Numbers r = problem.residuals(solution);
      double primal = nu * problem.total() * solution.tube;
      double dual = 0;
      double used = 0;
      double balance = 0;
      for (std::size_t i = 0; i < r.size(); ++i) {
        const double theta = solution.program.multipliers[i];
        primal += problem.weights[i] * std::max(0.0, std::abs(r[i]) - solution.tube);
        dual += problem.targets[i] * theta;
        used += std::abs(theta);
        balance += theta;
        EXPECT_LE(std::abs(theta), problem.weights[i] * (1 + 1e-9));
      }
      for (const double a : solution.program.coefficients) {
        primal += 2.0 * std::abs(a);
      }
      EXPECT_NEAR(primal, solution.program.objective, 1e-9 * primal);
      EXPECT_NEAR(primal, dual, 1e-7 * primal);
      EXPECT_LE(used, nu * problem.total() * (1 + 1e-9));
      EXPECT_NEAR(balance, 0, 1e-8 * problem.total());
      for (Index j = 0; j < problem.features.columns(); ++j) {
        double product = 0;
        for (Index i = 0; i < problem.features.rows(); ++i) {
          product += problem.features(i, j) * solution.program.multipliers[i];
        }
        EXPECT_LE(std::abs(product), 2.0 * (1 + 1e-8));
      }
    }
  }
}

TEST(TubeProgram, NuBoundsWhatIsOutside) {
  for (const double unit : {1e-6, 1.0, 1e8}) {
    const Problem problem(80, 10, 7, unit);
    double wider = std::numeric_limits<double>::infinity();
    for (const double nu : {0.02, 0.15, 0.4, 0.75, 0.99}) {
      const TubeProgramSolution solution = problem.solve(nu, 1.5 * 1.0);
      const Numbers r = problem.residuals(solution);
      const double border = 1e-7 * unit;
      double outside = 0;
      double touching = 0;
      for (std::size_t i = 0; i < r.size(); ++i) {
        outside += std::abs(r[i]) > solution.tube + border ? problem.weights[i] : 0;
        touching += std::abs(r[i]) > solution.tube - border ? problem.weights[i] : 0;
      }
      EXPECT_LE(outside, nu * problem.total() * (1 + 1e-9)) << unit << " " << nu;
      EXPECT_GE(touching, nu * problem.total() * (1 - 1e-9)) << unit << " " << nu;
      EXPECT_LE(solution.tube, wider * (1 + 1e-9));
      wider = solution.tube;
    }
  }
}

// The tube that was found, given: the same optimum.
TEST(TubeProgram, TheFoundTubeGivenGivesTheSameFunction) {
  const Problem problem(60, 8, 9);
  const double nu = 0.3;
  const TubeProgramSolution found = problem.solve(nu, 3.0);
  const LinearProgramSolution given =
      solve_linear_program(problem.features.view(), absolute_losses(problem.targets, problem.weights, found.tube),
                           Numbers(8, 3.0), {.offset = ProgramOffset::free}, mercer::Run());
  EXPECT_NEAR(given.objective + nu * problem.total() * found.tube, found.program.objective,
              1e-8 * found.program.objective);
}

TEST(TubeProgram, ANuOfOneHasNoTube) {
  const Problem problem(30, 5, 11);
  const LinearProgramSolution absolute =
      solve_linear_program(problem.features.view(), absolute_losses(problem.targets, problem.weights, 0),
                           Numbers(5, 1.0), {.offset = ProgramOffset::free}, mercer::Run());
  for (const double nu : {1.0, 2.5}) {
    const TubeProgramSolution solution = problem.solve(nu, 1.0);
    EXPECT_EQ(solution.tube, 0);
    EXPECT_EQ(solution.program.coefficients, absolute.coefficients);
  }
  EXPECT_NEAR(problem.solve(1 - 1e-9, 1.0).program.objective, absolute.objective, 1e-6 * absolute.objective);
}

Matrix<double> narrow_kernel(Index n, RandomStream& random) {
  Matrix<double> points(n, 2);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 2; ++j) {
      points(i, j) = random.normal();
    }
  }
  Matrix<double> kernel(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      kernel(i, j) =
          std::exp(-0.5 * (std::pow(points(i, 0) - points(j, 0), 2) + std::pow(points(i, 1) - points(j, 1), 2)));
    }
  }
  return kernel;
}

// At small prices all rows are met exactly, and the width is 0: then both sides of the tube are held at every row.
TEST(TubeProgram, ReachesTheOptimumWhereTheWidthIsNone) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, 17);
    const Index n = 8 + static_cast<Index>(random.uniform() * 20);
    const Matrix<double> kernel = narrow_kernel(n, random);
    Numbers targets;
    for (Index i = 0; i < n; ++i) {
      targets.push_back(std::round(random.normal() + std::sin(3 * kernel(i, 0))));
    }
    const double nu = 0.5 + 0.499 * random.uniform();
    const double price = std::pow(10.0, -4 + 2 * random.uniform());
    const TubeProgramSolution solution = solve_tube_program(kernel.view(), targets, {}, nu, Numbers(n, price),
                                                            {.offset = ProgramOffset::free}, mercer::Run());
    const LinearProgramSolution none =
        solve_linear_program(kernel.view(), absolute_losses(targets, {}, 0), Numbers(n, price),
                             {.offset = ProgramOffset::free}, mercer::Run());
    EXPECT_LE(solution.program.objective, none.objective * (1 + 1e-7)) << seed;
    EXPECT_LE(solution.program.gap, std::max(1e-7 * solution.program.objective, 1.01 * none.gap)) << seed;
  }
}

// Without functions: the middle and the half width of what is left when ν/2 is cut off on both sides.
TEST(TubeProgram, WithoutFunctionsExtremesAreCutOff) {
  const Matrix<double> nothing = Matrix<double>::filled(10, 1, 0.0);
  const Numbers targets = {0, 1, 2, 4, 5, 6, 7, 8, 30, 50};
  const TubeProgramSolution solution = solve_tube_program(nothing.view(), targets, {}, 0.4, Numbers{1.0},
                                                          {.offset = ProgramOffset::free}, mercer::Run());
  // 0, 1 and 30, 50 are outside; the tube reaches from somewhere in 1 … 2 to somewhere in 8 … 30, all at one cost.
  const double low = solution.program.offset - solution.tube;
  const double high = solution.program.offset + solution.tube;
  EXPECT_GE(low, 1 - 1e-6);
  EXPECT_LE(low, 2 + 1e-6);
  EXPECT_GE(high, 8 - 1e-6);
  EXPECT_LE(high, 30 + 1e-6);
  EXPECT_NEAR(solution.program.objective, (30 + 50 - 0 - 1) / 1.0, 1e-6);
}

TEST(TubeProgram, EqualTargetsOneRowAndCopies) {
  const Matrix<double> features = Problem(6, 3, 13).features;
  const TubeProgramSolution equal = solve_tube_program(features.view(), Numbers(6, 7.5), {}, 0.5, Numbers(3, 1.0),
                                                       {.offset = ProgramOffset::free}, mercer::Run());
  EXPECT_EQ(equal.tube, 0);
  EXPECT_EQ(equal.program.offset, 7.5);
  EXPECT_EQ(equal.program.objective, 0);
  EXPECT_EQ(equal.program.multipliers.size(), 6U);
  const TubeProgramSolution one = solve_tube_program(features.view().row_block({0, 1}), Numbers{-3}, {}, 0.5,
                                                     Numbers(3, 1.0), {.offset = ProgramOffset::free}, mercer::Run());
  EXPECT_EQ(one.program.offset, -3);
  // A row of weight 2 is two rows.
  Problem weighted(20, 4, 14);
  Problem copied(40, 4, 14);
  for (Index i = 0; i < 20; ++i) {
    weighted.weights[i] = 2;
    for (const Index row : {i, 20 + i}) {
      copied.targets[row] = weighted.targets[i];
      copied.weights[row] = 1;
      std::copy_n(weighted.features.view().row_data(i), 4, copied.features.view().row_data(row));
    }
  }
  EXPECT_NEAR(weighted.solve(0.2, 1.0).program.objective, copied.solve(0.2, 1.0).program.objective, 1e-8);
  EXPECT_ERROR(weighted.solve(0, 1.0), InvalidArgument, "linear program: nu = 0");
  EXPECT_ERROR(weighted.solve(NAN, 1.0), InvalidArgument, "linear program: nu = nan");
  weighted.targets.pop_back();
  EXPECT_ERROR(weighted.solve(0.5, 1.0), InvalidArgument, "linear program: 19 targets and 20 weights for 20 rows");
}

}  // namespace
}  // namespace mercer
