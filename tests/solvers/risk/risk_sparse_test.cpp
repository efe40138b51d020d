// The risk with a price on coefficients: against the same programme written down with the coefficients as its variables, and by its
// conditions of optimality.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/diagonal_quadratic.h"
#include "mercer/solvers/risk/risk_sparse.h"
#include "mercer/theory/losses/loss_list.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct SparseInstance {
  Matrix<double> kernel;
  Matrix<double> priced;
  Matrix<double> basis;
  std::vector<double> targets;
  std::vector<double> prices;

  SparseRiskProblem with(const Loss& loss) const {
    return {.risk = {kernel.view(), basis.view(), targets, prices, loss}, .priced = priced.view()};
  }
};

// A matrix that is not even symmetric: nothing asks for a kernel.
SparseInstance sparse_instance(LossArgument argument, Index n, Index functions, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  SparseInstance result{.kernel = Matrix<double>(n, n),
                        .priced = Matrix<double>(n, functions),
                        .basis = Matrix<double>::filled(n, 1, 1 / std::sqrt(static_cast<double>(n))),
                        .targets = {},
                        .prices = {}};
  for (Index i = 0; i < n * n; ++i) {
    result.kernel.data()[i] = normal(random);
  }
  for (Index i = 0; i < n * functions; ++i) {
    result.priced.data()[i] = normal(random);
  }
  for (Index i = 0; i < n; ++i) {
    const double y = 1 + 2 * result.kernel(i, 0) - result.kernel(i, 1) + 0.3 * normal(random);
    result.targets.push_back(argument == LossArgument::residual ? y : y > 1 ? 1.0 : -1.0);
    result.prices.push_back(0.2 + 0.1 * static_cast<double>(i % 3));
  }
  return result;
}

// Variables α⁺, α⁻ ≥ 0, δ, γ free, ξ ≥ 0:
//   min Σ(α⁺ + α⁻) + ½‖δ‖² + Σ p ξ,   f − ξ ≤ y + ε,   f + ξ ≥ y − ε     (hinge: y f + ξ ≥ 1)
double written_down(const SparseInstance& instance, double epsilon, bool is_hinge) {
  const auto n = static_cast<Index>(instance.targets.size());
  const Index m = instance.priced.columns();
  const Index size = 2 * n + m + 1 + n;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> diagonal(static_cast<std::size_t>(size), 0.0);
  ConvexProgram program;
  Matrix<double> range = Matrix<double>::filled(is_hinge ? n : 2 * n, size, 0.0);
  for (Index j = 0; j < size; ++j) {
    const bool is_coefficient = j < 2 * n;
    const bool is_slack = j >= 2 * n + m + 1;
    program.linear.push_back(is_coefficient ? 1.0 : is_slack ? instance.prices[j - 2 * n - m - 1] : 0.0);
    program.lower.push_back(is_coefficient || is_slack ? 0.0 : -infinite);
    program.upper.push_back(infinite);
    diagonal[j] = j >= 2 * n && j < 2 * n + m ? 1.0 : 0.0;
  }
  for (Index i = 0; i < range.rows(); ++i) {
    const Index row = i % n;
    const double sign = is_hinge ? instance.targets[row] : 1.0;
    for (Index j = 0; j < n; ++j) {
      range(i, j) = sign * instance.kernel(row, j);
      range(i, n + j) = -sign * instance.kernel(row, j);
    }
    for (Index j = 0; j < m; ++j) {
      range(i, 2 * n + j) = sign * instance.priced(row, j);
    }
    range(i, 2 * n + m) = sign * instance.basis(row, 0);
    range(i, 2 * n + m + 1 + row) = i < n && !is_hinge ? -1.0 : 1.0;
    program.range_lower.push_back(is_hinge ? 1.0 : i < n ? -infinite : instance.targets[row] - epsilon);
    program.range_upper.push_back(is_hinge || i >= n ? infinite : instance.targets[row] + epsilon);
  }
  program.range = range.view();
  program.quadratic = std::make_shared<DiagonalQuadratic>(diagonal);
  const ConvexSolution solution = solve_convex_program(program, {.tolerance = 1e-10}, mercer::Run{});
  EXPECT_EQ(solution.status, ProgramStatus::converged) << solution.message;
  return solution.primal;
}

TEST(SparseRisk, TheSameAsTheProgrammeWrittenDown) {
  for (const Index functions : {0, 3}) {
    for (const unsigned seed : {1U, 2U}) {
      for (const double epsilon : {0.0, 0.3}) {
        const SparseInstance instance = sparse_instance(LossArgument::residual, 25, functions, seed);
        const LossPointer loss = make_loss(LossKind::epsilon_insensitive, {.epsilon = epsilon});
        const SparseRiskSolution solution = solve_sparse_risk(instance.with(*loss), 1e-8, 200, mercer::Run{});
        EXPECT_EQ(solution.risk.status, SolveStatus::converged) << solution.risk.message;
        const double expected = written_down(instance, epsilon, false);
        EXPECT_NEAR(solution.risk.objective, expected, 1e-7 * expected) << functions << " " << epsilon;
        if (epsilon > 0) {
          EXPECT_LT(std::ranges::count_if(solution.risk.alpha, [](double a) { return a != 0; }), 25);
        }
      }
      const SparseInstance classes = sparse_instance(LossArgument::margin, 25, functions, seed);
      const LossPointer hinge = make_loss(LossKind::hinge);
      const SparseRiskSolution solution = solve_sparse_risk(classes.with(*hinge), 1e-8, 200, mercer::Run{});
      EXPECT_EQ(solution.risk.status, SolveStatus::converged) << solution.risk.message;
      const double expected = written_down(classes, 0, true);
      EXPECT_NEAR(solution.risk.objective, expected, 1e-7 * expected) << functions;
    }
  }
}

// a = −p s c'(x): |Kᵀa| ≤ 1, and 1 with the sign of α where that is not 0; δ = Ψᵀa; Qᵀa = 0.
TEST(SparseRisk, SmoothLossesMeetTheConditions) {
  for (const LossKind kind : {LossKind::squared, LossKind::huber, LossKind::logistic, LossKind::squared_hinge}) {
    const LossPointer loss = make_loss(kind, {.sigma = 0.5});
    const SparseInstance instance = sparse_instance(loss->argument(), 30, 2, 3);
    const SparseRiskProblem problem = instance.with(*loss);
    const SparseRiskSolution solution = solve_sparse_risk(problem, 1e-9, 200, mercer::Run{});
    ASSERT_EQ(solution.risk.status, SolveStatus::converged) << word_of(kind) << ": " << solution.risk.message;
    std::vector<double> a;
    for (Index i = 0; i < 30; ++i) {
      const double x = problem.risk.argument(i, solution.risk.values[static_cast<std::size_t>(i)]);
      a.push_back(-instance.prices[static_cast<std::size_t>(i)] * problem.risk.sign(i) * loss->influence(x));
    }
    double sum = 0;
    for (const double value : a) {
      sum += value;
    }
    EXPECT_NEAR(sum, 0, 1e-4) << word_of(kind);
    for (Index j = 0; j < 30; ++j) {
      double range = 0;
      for (Index i = 0; i < 30; ++i) {
        range += instance.kernel(i, j) * a[static_cast<std::size_t>(i)];
      }
      const double coefficient = solution.risk.alpha[static_cast<std::size_t>(j)];
      EXPECT_LE(std::abs(range), 1 + 1e-4) << word_of(kind);
      if (std::abs(coefficient) > 1e-3) {
        EXPECT_NEAR(range, std::copysign(1.0, coefficient), 1e-4) << word_of(kind) << " " << coefficient;
      }
    }
    for (Index p = 0; p < 2; ++p) {
      double expected = 0;
      for (Index i = 0; i < 30; ++i) {
        expected += instance.priced(i, p) * a[static_cast<std::size_t>(i)];
      }
      EXPECT_NEAR(solution.priced[static_cast<std::size_t>(p)], expected, 1e-4) << word_of(kind);
    }
  }
}

// A low price of losses: no coefficient is worth it, and the constant is the weighted quantile.
TEST(SparseRisk, NothingIsWorthIt) {
  SparseInstance instance = sparse_instance(LossArgument::residual, 15, 0, 4);
  for (double& price : instance.prices) {
    price *= 1e-3;
  }
  const LossPointer loss = make_loss(LossKind::laplace);
  const SparseRiskSolution solution = solve_sparse_risk(instance.with(*loss), 1e-7, 200, mercer::Run{});
  EXPECT_EQ(solution.risk.status, SolveStatus::converged) << solution.risk.message;
  EXPECT_EQ(solution.absolute_sum, 0);
}

TEST(SparseRisk, Refusals) {
  const SparseInstance instance = sparse_instance(LossArgument::margin, 8, 1, 5);
  const LossPointer bounded = make_loss(LossKind::inverse_complementary_log_log);
  EXPECT_ERROR(solve_sparse_risk(instance.with(*bounded), 1e-6, 100, mercer::Run{}), InvalidArgument, "convex loss");
  const LossPointer hinge = make_loss(LossKind::hinge);
  SparseRiskProblem problem = instance.with(*hinge);
  const Matrix<double> few(3, 1);
  problem.priced = few.view();
  EXPECT_ERROR(solve_sparse_risk(problem, 1e-6, 100, mercer::Run{}), InvalidArgument, "functions of as many rows");
}

}  // namespace
}  // namespace mercer
