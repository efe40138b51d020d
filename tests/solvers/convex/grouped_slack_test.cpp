// Machines with one slack per group of rows, against the primal programme (a coefficient per row, a slack per group: other
// variables, other constraints), against C-SVC and ν-SVC where groups are of one row, and by the conditions of each group.
#include "mercer/solvers/convex/grouped_slack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "solvers/svm_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::stored_gram;
using testing::svm_problem;
using testing::SvmProblem;

const mercer::Run grouped_run{{.threads = 1}};
const mercer::Run grouped_threads{{.threads = 3}};

struct GroupedProblem {
  SvmProblem rows;
  std::vector<Index> groups;
  std::vector<double> bounds;

  GroupedRows view() const { return {rows.signs, groups, bounds}; }
  double total() const { return std::accumulate(bounds.begin(), bounds.end(), 0.0); }
};

// Groups of any size, of one class or both, with prices of their own.
GroupedProblem grouped_problem(Index n, Index count, std::uint64_t seed) {
  RandomStream random(seed, 77);
  GroupedProblem problem{.rows = svm_problem(n, 3, seed), .groups = {}, .bounds = {}};
  const double cost = std::pow(10.0, 3 * random.uniform() - 1);
  for (Index i = 0; i < n; ++i) {
    problem.groups.push_back(i < count ? i : static_cast<Index>(random.below(static_cast<std::uint64_t>(count))));
  }
  for (Index g = 0; g < count; ++g) {
    problem.bounds.push_back(cost * (0.5 + random.uniform()));
  }
  return problem;
}

// min ½βᵀKβ + Σ C_g ξ_g, or − total ρ + Σ w_g ξ_g, over (β, b, ξ) or (β, b, ξ, ρ).
double primal_optimum(const GroupedProblem& problem, std::optional<double> total) {
  const Index n = problem.rows.size();
  const auto count = static_cast<Index>(problem.bounds.size());
  const Index variables = n + 1 + count + (total ? 1 : 0);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Matrix<double> quadratic = Matrix<double>::filled(variables, variables, 0.0);
  Matrix<double> range = Matrix<double>::filled(n, variables, 0.0);
  ConvexProgram program;
  program.linear.assign(static_cast<std::size_t>(variables), 0.0);
  program.lower.assign(static_cast<std::size_t>(variables), -infinite);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      quadratic(i, j) = problem.rows.kernel(i, j);
      range(i, j) = problem.rows.signs[i] * problem.rows.kernel(i, j);
    }
    range(i, n) = problem.rows.signs[i];
    range(i, n + 1 + problem.groups[i]) = 1;
    if (total) {
      range(i, variables - 1) = -1;
    }
  }
  for (Index g = 0; g < count; ++g) {
    program.linear[n + 1 + g] = problem.bounds[g];
    program.lower[n + 1 + g] = 0;
  }
  if (total) {
    program.linear[variables - 1] = -*total;
    program.lower[variables - 1] = 0;
  }
  program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
  program.range = range.view();
  program.range_lower.assign(static_cast<std::size_t>(n), total ? 0.0 : 1.0);
  program.range_upper.assign(static_cast<std::size_t>(n), infinite);
  const ConvexSolution found = solve_convex_program(program, {.tolerance = 1e-9, .max_iterations = 300}, grouped_run);
  EXPECT_EQ(found.status, ProgramStatus::converged) << found.message;
  return found.primal;
}

// What the conditions of the optimum ask of every group, from the solution alone.
void expect_conditions(const GroupedProblem& problem, const GroupedSolution& solution, double tolerance) {
  const std::size_t count = problem.bounds.size();
  std::vector<double> sums(count, 0.0);
  std::vector<double> slacks(count, 0.0);
  double balance = 0;
  const auto missing = [&](Index i) {
    double f = solution.offset;
    for (Index j = 0; j < problem.rows.size(); ++j) {
      f += problem.rows.kernel(i, j) * solution.coefficients[j];
    }
    return 1 - problem.rows.signs[i] * f;
  };
  for (Index i = 0; i < problem.rows.size(); ++i) {
    EXPECT_GE(problem.rows.signs[i] * solution.coefficients[i], 0);
    sums[problem.groups[i]] += std::abs(solution.coefficients[i]);
    slacks[problem.groups[i]] = std::max(slacks[problem.groups[i]], missing(i));
    balance += solution.coefficients[i];
  }
  EXPECT_NEAR(balance, 0, 1e-9 * problem.total() / solution.rho);
  for (std::size_t g = 0; g < count; ++g) {
    const double bound = problem.bounds[g] / solution.rho;
    EXPECT_LE(sums[g], bound * (1 + 1e-12));
    if (slacks[g] > tolerance) {
      EXPECT_NEAR(sums[g], bound, 1e-6 * bound) << "group " << g << " with slack " << slacks[g];
    }
  }
  for (Index i = 0; i < problem.rows.size(); ++i) {
    if (solution.coefficients[i] != 0) {
      EXPECT_NEAR(missing(i), slacks[problem.groups[i]], tolerance) << "row " << i;
    }
  }
}

TEST(GroupedSlack, RandomGroupsReachThePrimalOptimum) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    const GroupedProblem problem =
        grouped_problem(12 + 3 * static_cast<Index>(seed), 5 + static_cast<Index>(seed), seed);
    const GroupedSolution solution =
        solve_grouped_svc(stored_gram(problem.rows.kernel), problem.view(), {.tolerance = 1e-6}, grouped_run);
    EXPECT_EQ(solution.status, SolveStatus::converged) << solution.relative_gap << " " << solution.violation;
    const double optimum = primal_optimum(problem, std::nullopt);
    EXPECT_NEAR(solution.primal, optimum, 2e-6 * optimum);
    EXPECT_NEAR(solution.dual, optimum, 2e-6 * optimum);
    expect_conditions(problem, solution, 1e-6);
  }
}

TEST(GroupedSlack, NuReachesThePrimalOptimumAndIsAFractionOfGroups) {
  int proved = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    GroupedProblem problem = grouped_problem(12 + 3 * static_cast<Index>(seed), 6 + static_cast<Index>(seed), seed);
    const double nu = 0.9 * largest_grouped_nu(problem.view());
    const double total = nu * problem.total();
    const double optimum = primal_optimum(problem, total);
    const auto solved = [&] {
      return solve_grouped_nu_svc(stored_gram(problem.rows.kernel), problem.view(), nu, {.tolerance = 1e-6},
                                  grouped_run);
    };
    if (std::abs(optimum) < 1e-9 * total) {
      EXPECT_ERROR(solved(), NumericalError, "leaves no margin");
      continue;
    }
    const GroupedSolution solution = solved();
    EXPECT_EQ(solution.status, SolveStatus::converged) << solution.relative_gap << " " << solution.violation;
    double norm = 0;
    double sum = 0;
    for (Index i = 0; i < problem.rows.size(); ++i) {
      norm += solution.coefficients[i] * solution.values[i];
      sum += std::abs(solution.coefficients[i]);
    }
    EXPECT_NEAR(sum * solution.rho, total, 1e-6 * total);
    // In units in which the bounds are w: the loss is primal − ½‖w‖².
    const double rho = solution.rho;
    const double primal = rho * rho * solution.primal - total * rho;
    EXPECT_NEAR(primal, optimum, 3e-6 * (std::abs(optimum) + total * rho));
    expect_conditions(problem, solution, 1e-6);
    std::vector<double> slack(problem.bounds.size(), 0.0);
    std::vector<bool> supports(problem.bounds.size(), false);
    for (Index i = 0; i < problem.rows.size(); ++i) {
      const double missing = 1 - problem.rows.signs[i] * (solution.values[i] + solution.offset);
      slack[problem.groups[i]] = std::max(slack[problem.groups[i]], missing);
      supports[problem.groups[i]] = supports[problem.groups[i]] || solution.coefficients[i] != 0;
    }
    double errors = 0;
    double support = 0;
    for (std::size_t g = 0; g < slack.size(); ++g) {
      errors += slack[g] > 1e-6 ? problem.bounds[g] : 0.0;
      support += supports[g] ? problem.bounds[g] : 0.0;
    }
    EXPECT_LE(errors, total * (1 + 1e-6));
    EXPECT_GE(support, total * (1 - 1e-6));
    ++proved;
  }
  EXPECT_GE(proved, 15);
}

TEST(GroupedSlack, GroupsOfOneRowAreTheUsualMachines) {
  int margins = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const Index n = 20 + 5 * static_cast<Index>(seed);
    const GroupedProblem problem = grouped_problem(n, n, seed);
    const auto gram = stored_gram(problem.rows.kernel);
    std::vector<double> bounds;
    for (const Index g : problem.groups) {
      bounds.push_back(problem.bounds[g]);
    }
    const GroupedSolution solution = solve_grouped_svc(gram, problem.view(), {.tolerance = 1e-6}, grouped_run);
    const SvmDual usual = solve_c_svc(gram, problem.rows.signs, bounds, {.tolerance = 1e-7}, grouped_run);
    EXPECT_EQ(solution.status, SolveStatus::converged);
    EXPECT_NEAR(solution.dual, -usual.objective, 1e-6 * std::abs(usual.objective));
    const double nu = 0.7 * largest_nu(problem.rows.signs, bounds);
    EXPECT_DOUBLE_EQ(largest_grouped_nu(problem.view()), largest_nu(problem.rows.signs, bounds));
    SvmDual usual_nu;
    try {
      usual_nu = solve_nu_svc(gram, problem.rows.signs, nu, bounds, {.tolerance = 1e-7}, grouped_run);
    } catch (const NumericalError&) {
      EXPECT_ERROR(solve_grouped_nu_svc(gram, problem.view(), nu, {}, grouped_run), NumericalError, "leaves no margin");
      continue;
    }
    ++margins;
    const GroupedSolution fraction = solve_grouped_nu_svc(gram, problem.view(), nu, {.tolerance = 1e-6}, grouped_run);
    EXPECT_NEAR(fraction.rho, usual_nu.margin, 1e-5 * usual_nu.margin);
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(fraction.values[i], usual_nu.values[i], 1e-4 * (1 + std::abs(usual_nu.values[i])));
    }
  }
  EXPECT_GE(margins, 6);
}

// More rows than are taken at the start: the proof is of all of them, and says the same.
TEST(GroupedSlack, RowsAreTakenInUntilNoneViolates) {
  const GroupedProblem problem = grouped_problem(1500, 120, 3);
  const auto gram = stored_gram(problem.rows.kernel);
  const GroupedSolution solution = solve_grouped_svc(gram, problem.view(), {.tolerance = 1e-4}, grouped_run);
  EXPECT_EQ(solution.status, SolveStatus::converged) << solution.relative_gap << " " << solution.violation;
  EXPECT_GT(solution.rounds, 1);
  EXPECT_LE(solution.relative_gap, 1e-4);
  expect_conditions(problem, solution, 1e-4);
  const GroupedProblem pairs = grouped_problem(1200, 450, 4);
  const GroupedSolution fraction =
      solve_grouped_nu_svc(stored_gram(pairs.rows.kernel), pairs.view(), 0.9, {.tolerance = 1e-4}, grouped_run);
  EXPECT_EQ(fraction.status, SolveStatus::converged) << fraction.relative_gap << " " << fraction.violation;
  EXPECT_GT(fraction.rounds, 1);
  expect_conditions(pairs, fraction, 1e-4);
  const GroupedSolution threads = solve_grouped_svc(gram, problem.view(), {.tolerance = 1e-4}, grouped_threads);
  EXPECT_EQ(threads.coefficients, solution.coefficients);
}

TEST(GroupedSlack, OneGroupOfAllRowsPaysForTheWorst) {
  GroupedProblem problem = grouped_problem(40, 1, 5);
  for (const double bound : {1e-4, 1.0, 1e3}) {
    problem.bounds = {bound};
    const GroupedSolution solution =
        solve_grouped_svc(stored_gram(problem.rows.kernel), problem.view(), {.tolerance = 1e-6}, grouped_run);
    EXPECT_EQ(solution.status, SolveStatus::converged) << bound;
    const double optimum = primal_optimum(problem, std::nullopt);
    EXPECT_NEAR(solution.primal, optimum, 2e-6 * optimum) << bound;
  }
  EXPECT_DOUBLE_EQ(largest_grouped_nu(problem.view()), 1);
}

TEST(GroupedSlack, RepeatedRowsOfAGroupCountOnce) {
  const GroupedProblem once = grouped_problem(30, 12, 8);
  GroupedProblem twice = once;
  const Index n = once.rows.size();
  twice.rows.kernel = testing::Dense(2 * n, 2 * n);
  for (Index i = 0; i < 2 * n; ++i) {
    for (Index j = 0; j < 2 * n; ++j) {
      twice.rows.kernel(i, j) = once.rows.kernel(i % n, j % n);
    }
  }
  twice.rows.x = testing::Dense(2 * n, 1);
  twice.rows.signs.insert(twice.rows.signs.end(), once.rows.signs.begin(), once.rows.signs.end());
  twice.groups.insert(twice.groups.end(), once.groups.begin(), once.groups.end());
  const GroupedSolution a =
      solve_grouped_svc(stored_gram(once.rows.kernel), once.view(), {.tolerance = 1e-6}, grouped_run);
  const GroupedSolution b =
      solve_grouped_svc(stored_gram(twice.rows.kernel), twice.view(), {.tolerance = 1e-6}, grouped_run);
  EXPECT_EQ(b.status, SolveStatus::converged);
  EXPECT_NEAR(a.primal, b.primal, 2e-6 * a.primal);
}

TEST(GroupedSlack, AKernelOfZerosLeavesTheOffset) {
  GroupedProblem problem = grouped_problem(10, 4, 2);
  problem.rows.kernel = testing::Dense(10, 10);
  const GroupedSolution solution =
      solve_grouped_svc(stored_gram(problem.rows.kernel), problem.view(), {.tolerance = 1e-6}, grouped_run);
  EXPECT_EQ(solution.status, SolveStatus::converged) << solution.relative_gap << " " << solution.violation;
  EXPECT_NEAR(solution.primal, primal_optimum(problem, std::nullopt), 1e-5 * solution.primal);
}

TEST(GroupedSlack, RowsOfNoGroupAreEvaluatedOnly) {
  GroupedProblem problem = grouped_problem(30, 10, 4);
  const GroupedSolution all =
      solve_grouped_svc(stored_gram(problem.rows.kernel), problem.view(), {.tolerance = 1e-6}, grouped_run);
  GroupedProblem more = problem;
  const Index n = problem.rows.size();
  more.rows.kernel = testing::Dense(n + 1, n + 1);
  for (Index i = 0; i <= n; ++i) {
    for (Index j = 0; j <= n; ++j) {
      more.rows.kernel(i, j) = problem.rows.kernel(i == n ? 0 : i, j == n ? 0 : j);
    }
  }
  more.rows.x = testing::Dense(n + 1, 1);
  more.rows.signs.push_back(-problem.rows.signs[0]);
  more.groups.push_back(-1);
  const GroupedSolution some =
      solve_grouped_svc(stored_gram(more.rows.kernel), more.view(), {.tolerance = 1e-6}, grouped_run);
  EXPECT_NEAR(some.dual, all.dual, 1e-9 * all.dual);
  EXPECT_EQ(some.coefficients.back(), 0);
  EXPECT_NEAR(some.values.back(), some.values.front(), 1e-12 * (1 + std::abs(some.values.front())));
}

TEST(GroupedSlack, WhatCannotBeIsRefused) {
  GroupedProblem problem = grouped_problem(12, 4, 1);
  const auto gram = stored_gram(problem.rows.kernel);
  EXPECT_ERROR(solve_grouped_nu_svc(gram, problem.view(), 1.01, {}, grouped_run), InvalidArgument, "is infeasible");
  EXPECT_ERROR(solve_grouped_svc(gram, problem.view(), {.memory_mb = 1e-4}, grouped_run), InvalidArgument,
               "rows are needed in one programme");
  GroupedProblem one = problem;
  std::ranges::fill(one.rows.signs, 1.0);
  EXPECT_ERROR(solve_grouped_svc(gram, one.view(), {}, grouped_run), InvalidArgument, "samples of both classes");
  GroupedProblem bad = problem;
  bad.bounds[2] = 0;
  EXPECT_ERROR(solve_grouped_svc(gram, bad.view(), {}, grouped_run), InvalidArgument, "must be positive and finite");
  bad = problem;
  bad.groups[3] = 4;
  EXPECT_ERROR(solve_grouped_svc(gram, bad.view(), {}, grouped_run), InvalidArgument, "group 4 of 4");
  bad.groups.pop_back();
  EXPECT_ERROR(solve_grouped_svc(gram, bad.view(), {}, grouped_run), InvalidArgument, "11 groups for 12 samples");
}

}  // namespace
}  // namespace mercer
