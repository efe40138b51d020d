// The joint machine of the ν kind: against its dual by the interior point, against ν-SVC for two classes, by the ν-property
// and by C ↔ ν.
#include "mercer/solvers/convex/joint_nu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

const mercer::Run joint_nu_run{{.threads = 1}};

struct ManyClasses {
  testing::Dense kernel;
  std::vector<std::int32_t> classes;
  std::vector<double> weights;
  Index count = 0;

  Index size() const { return static_cast<Index>(classes.size()); }
  JointProblem view() const { return {.classes = classes, .class_count = count, .bounds = weights}; }
  double pairs() const { return static_cast<double>(count - 1) * std::accumulate(weights.begin(), weights.end(), 0.0); }
};

ManyClasses overlapping(Index n, Index count, std::uint64_t seed) {
  RandomStream random(seed, 9);
  ManyClasses problem{.kernel = {}, .classes = {}, .weights = {}, .count = count};
  testing::Dense x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const auto c = i < count ? i : static_cast<Index>(random.below(static_cast<std::uint64_t>(count)));
    problem.classes.push_back(static_cast<std::int32_t>(c));
    problem.weights.push_back(0.5 + random.uniform());
    x(i, 0) = 1.5 * std::cos(2.0 * static_cast<double>(c)) + random.normal();
    x(i, 1) = 1.5 * std::sin(2.0 * static_cast<double>(c)) + random.normal();
  }
  problem.kernel = testing::gaussian_kernel(x, 0.4);
  return problem;
}

// min ½Σ_c B_cᵀKB_c over a_ir in [0, w_i], Σ_i B_ic = 0, Σa = total: ρ is the multiplier of the last.
struct DualAnswer {
  double value = 0;
  double rho = 0;
};
DualAnswer by_interior_point(const ManyClasses& problem, double total) {
  struct Pair {
    Index row;
    Index other;
  };
  std::vector<Pair> pairs;
  for (Index i = 0; i < problem.size(); ++i) {
    for (Index r = 0; r < problem.count; ++r) {
      if (r != problem.classes[i]) {
        pairs.push_back({i, r});
      }
    }
  }
  const auto size = static_cast<Index>(pairs.size());
  const auto sign = [&](const Pair& pair, Index c) {
    return (problem.classes[pair.row] == c ? 1.0 : 0.0) - (pair.other == c ? 1.0 : 0.0);
  };
  Matrix<double> quadratic = Matrix<double>::filled(size, size, 0.0);
  Matrix<double> equality = Matrix<double>::filled(problem.count, size, 1.0);  // the last class's follows; there is Σa
  ConvexProgram program;
  for (Index s = 0; s < size; ++s) {
    for (Index t = 0; t < size; ++t) {
      double product = 0;
      for (Index c = 0; c < problem.count; ++c) {
        product += sign(pairs[s], c) * sign(pairs[t], c);
      }
      quadratic(s, t) = product * problem.kernel(pairs[s].row, pairs[t].row);
    }
    for (Index c = 0; c + 1 < problem.count; ++c) {
      equality(c, s) = sign(pairs[s], c);
    }
    program.linear.push_back(0);
    program.lower.push_back(0);
    program.upper.push_back(problem.weights[pairs[s].row]);
  }
  program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
  program.equality = equality.view();
  program.equality_values.assign(static_cast<std::size_t>(problem.count), 0.0);
  program.equality_values.back() = total;
  const ConvexSolution found = solve_convex_program(program, {.tolerance = 1e-9, .max_iterations = 200}, joint_nu_run);
  EXPECT_EQ(found.status, ProgramStatus::converged) << found.message;
  return {found.primal, found.point.equality_multipliers.back()};
}

TEST(JointNu, ReachesTheOptimumOfItsDual) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const ManyClasses problem = overlapping(30 + 4 * static_cast<Index>(seed), 3 + static_cast<Index>(seed % 2), seed);
    const double largest = largest_joint_nu(problem.classes, problem.count, problem.weights, joint_nu_run);
    const double nu = largest * (0.4 + 0.07 * static_cast<double>(seed));
    const JointNuResult found =
        solve_joint_nu(testing::stored_gram(problem.kernel), problem.view(), nu, {.tolerance = 1e-5}, joint_nu_run);
    EXPECT_EQ(found.machine.status, SolveStatus::converged);
    const DualAnswer answer = by_interior_point(problem, nu * problem.pairs());
    // The dual falls with the square of ν, and ρ is its slope.
    const double scale = found.rho * found.rho / 4;
    EXPECT_NEAR(scale * found.machine.objective, answer.value, 2e-4 * answer.value);
    EXPECT_NEAR(found.rho, answer.rho, 2e-3 * answer.rho);
    EXPECT_NEAR(-scale * found.machine.primal, answer.value, 1e-3 * answer.value);
  }
}

TEST(JointNu, TwoClassesAreTheTwoClassMachine) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const ManyClasses problem = overlapping(40, 2, 100 + seed);
    std::vector<double> signs;
    for (const std::int32_t c : problem.classes) {
      signs.push_back(c == 1 ? 1.0 : -1.0);
    }
    const double largest = largest_joint_nu(problem.classes, 2, problem.weights, joint_nu_run);
    EXPECT_DOUBLE_EQ(largest, largest_nu(signs, problem.weights));
    const double nu = 0.6 * largest;
    const auto gram = testing::stored_gram(problem.kernel);
    const JointNuResult found = solve_joint_nu(gram, problem.view(), nu, {.tolerance = 1e-6}, joint_nu_run);
    const SvmDual usual = solve_nu_svc(gram, signs, nu, problem.weights, {.tolerance = 1e-7}, joint_nu_run);
    EXPECT_NEAR(found.rho, 2 * usual.margin, 1e-4 * usual.margin);
    for (Index i = 0; i < problem.size(); ++i) {
      const double f = found.machine.values(i, 1) + found.machine.offsets[1];
      EXPECT_NEAR(f, usual.values[i] + usual.offset, 1e-3);
    }
  }
}

TEST(JointNu, NuIsAShareOfRowsAndOtherClasses) {
  const ManyClasses problem = overlapping(90, 4, 7);
  for (const double nu : {0.3, 0.5, 0.7}) {
    const JointNuResult found =
        solve_joint_nu(testing::stored_gram(problem.kernel), problem.view(), nu, {.tolerance = 1e-5}, joint_nu_run);
    double errors = 0;
    double support = 0;
    for (Index i = 0; i < problem.size(); ++i) {
      const Index own = problem.classes[i];
      for (Index r = 0; r < problem.count; ++r) {
        const double lead = found.machine.values(i, own) + found.machine.offsets[own] - found.machine.values(i, r) -
                            found.machine.offsets[r];
        errors += r != own && lead < 2 - 1e-4 ? problem.weights[i] : 0.0;
        support += r != own && found.machine.coefficients(i, r) != 0 ? problem.weights[i] : 0.0;
      }
    }
    EXPECT_LE(errors / problem.pairs(), nu * (1 + 1e-4)) << nu;
    EXPECT_GE(support / problem.pairs(), nu * (1 - 1e-4)) << nu;
  }
}

TEST(JointNu, TheLargestIsAFlowBetweenTheClasses) {
  const std::vector<double> ones(6, 1.0);
  EXPECT_DOUBLE_EQ(largest_joint_nu(std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}, 3, ones, joint_nu_run), 1);
  // Weights 1, 2, 3: 1 → 3 → 2 → 1 is worth more than flows there and back; 9 of 12.
  EXPECT_NEAR(largest_joint_nu(std::vector<std::int32_t>{0, 1, 1, 2, 2, 2}, 3, ones, joint_nu_run), 0.75, 1e-8);
  const ManyClasses problem = overlapping(30, 3, 3);
  const double largest = largest_joint_nu(problem.classes, 3, problem.weights, joint_nu_run);
  const auto gram = testing::stored_gram(problem.kernel);
  EXPECT_ERROR(solve_joint_nu(gram, problem.view(), largest + 0.01, {}, joint_nu_run), InvalidArgument,
               "is infeasible");
  EXPECT_EQ(solve_joint_nu(gram, problem.view(), largest, {}, joint_nu_run).machine.status, SolveStatus::converged);
}

TEST(JointNu, ANuThatErrorsExceedLeavesNoMargin) {
  // All rows alike: every function is constant, and half of the pairs are wrong.
  ManyClasses problem = overlapping(9, 3, 1);
  problem.kernel = testing::Dense(9, 9);
  problem.weights.assign(9, 1.0);
  for (Index i = 0; i < 9; ++i) {
    problem.classes[i] = static_cast<std::int32_t>(i % 3);
    for (Index j = 0; j < 9; ++j) {
      problem.kernel(i, j) = 1;
    }
  }
  EXPECT_ERROR(solve_joint_nu(testing::stored_gram(problem.kernel), problem.view(), 0.2, {}, joint_nu_run),
               NumericalError, "leaves no margin");
}

// The steps are those of all solves together.
TEST(JointNu, StepsAreLimited) {
  const ManyClasses problem = overlapping(60, 3, 5);
  const JointNuResult found = solve_joint_nu(testing::stored_gram(problem.kernel), problem.view(), 0.5,
                                             {.tolerance = 1e-6, .max_steps = 50}, joint_nu_run);
  EXPECT_EQ(found.machine.status, SolveStatus::iteration_limit);
  EXPECT_LE(found.machine.steps, 50);
}

}  // namespace
}  // namespace mercer
