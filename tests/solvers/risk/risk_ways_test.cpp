// Other ways to the same risk: a factor in place of the kernel matrix, rows on the edge solved by themselves, and classes that
// functions separate.
#include <algorithm>
#include <cmath>
#include <random>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/risk/risk_active_rows.h"
#include "mercer/solvers/risk/risk_solver.h"
#include "mercer/solvers/risk/risk_sparse.h"
#include "mercer/solvers/risk/separation.h"
#include "mercer/theory/losses/loss_list.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct FactoredInstance {
  Matrix<double> factor;  // n × k
  Matrix<double> kernel;  // FFᵀ
  Matrix<double> basis;
  std::vector<double> targets;
  std::vector<double> prices;
};

FactoredInstance factored_instance(LossArgument argument, Index n, Index rank, Index functions, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  FactoredInstance result{.factor = Matrix<double>(n, rank),
                          .kernel = Matrix<double>::filled(n, n, 0.0),
                          .basis = Matrix<double>(n, functions),
                          .targets = {},
                          .prices = {}};
  for (Index i = 0; i < n * rank; ++i) {
    result.factor.data()[i] = normal(random);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < rank; ++k) {
        result.kernel(i, j) += result.factor(i, k) * result.factor(j, k);
      }
    }
    if (functions > 0) {
      result.basis(i, 0) = 1 / std::sqrt(static_cast<double>(n));
    }
    const double y = result.factor(i, 0) + 0.3 * normal(random);
    result.targets.push_back(argument == LossArgument::residual ? y : y > 0 ? 1.0 : -1.0);
    result.prices.push_back(1 + 0.5 * static_cast<double>(i % 3));
  }
  return result;
}

RiskProblem by_matrix(const FactoredInstance& instance, const Loss& loss) {
  return {instance.kernel.view(), instance.basis.view(), instance.targets, instance.prices, loss};
}

RiskProblem by_factor(const FactoredInstance& instance, const Loss& loss) {
  return {{}, instance.basis.view(), instance.targets, instance.prices, loss, instance.factor.view()};
}

TEST(RiskFactor, TheSameRiskAsTheMatrix) {
  for (const LossEntry& entry : loss_list()) {
    if (entry.kind == LossKind::density || entry.kind == LossKind::zero_one) {
      continue;
    }
    const LossPointer loss = make_loss(entry.kind);
    for (const Index functions : {0, 1}) {
      const FactoredInstance instance = factored_instance(entry.argument, 40, 5, functions, 7);
      const RiskSolution whole = solve_risk(by_matrix(instance, *loss), {}, mercer::Run{});
      const RiskSolution ranked = solve_risk(by_factor(instance, *loss), {}, mercer::Run{});
      EXPECT_EQ(ranked.status, SolveStatus::converged) << word_of(entry.kind) << ": " << ranked.message;
      EXPECT_NEAR(ranked.objective, whole.objective, 2e-6 * whole.objective) << word_of(entry.kind);
      const RiskProblem problem = by_matrix(instance, *loss);
      RiskSolution again = ranked;
      evaluate_risk(problem, again);
      EXPECT_NEAR(again.objective, ranked.objective, 1e-10 * ranked.objective) << word_of(entry.kind);
    }
  }
}

TEST(RiskFactor, SizesThatDoNotFit) {
  const LossPointer loss = make_loss(LossKind::huber);
  const FactoredInstance instance = factored_instance(LossArgument::residual, 10, 3, 1, 8);
  RiskProblem both = by_factor(instance, *loss);
  both.kernel = instance.kernel.view();
  EXPECT_ERROR(solve_risk(both, {}, mercer::Run{}), InvalidArgument, "a kernel matrix of 10 rows");
  RiskProblem few = by_factor(instance, *loss);
  few.factor = few.factor.row_block({0, 4});
  EXPECT_ERROR(solve_risk(few, {}, mercer::Run{}), InvalidArgument, "a kernel matrix of 4 rows");
}

// Smooth targets, a narrow tube and prices that leave no row outside of it: what an iteration leaves of f on the edge counts
// as price times error.
// Prices at which rounding leaves no proof: what is reported is no more than the multipliers prove, summed in long double.
TEST(RiskDual, TheBoundIsThatOfTheMultipliers) {
  const Index n = 100;
  for (const LossKind kind : {LossKind::laplace, LossKind::quantile}) {
    for (const double price : {1e2, 1e4, 1e6}) {
      Matrix<double> kernel(n, n);
      Matrix<double> basis(n, 1);
      std::vector<double> targets;
      for (Index i = 0; i < n; ++i) {
        basis(i, 0) = 0.1;
        targets.push_back(std::sin(6.0 * static_cast<double>(i) / 99));
        for (Index j = 0; j < n; ++j) {
          const double distance = 6.0 * static_cast<double>(i - j) / 99;
          kernel(i, j) = std::exp(-0.5 * distance * distance);
        }
      }
      const std::vector<double> prices(static_cast<std::size_t>(n), price);
      const LossPointer loss = make_loss(kind);
      const RiskSolution solution =
          solve_risk({kernel.view(), basis.view(), targets, prices, *loss}, {.largest_gap = 0.05}, mercer::Run{});
      long double proven = 0;
      for (Index i = 0; i < n; ++i) {
        long double bent = 0;
        for (Index j = 0; j < n; ++j) {
          bent += static_cast<long double>(kernel(i, j)) * solution.alpha[j];
        }
        proven += solution.alpha[i] * (targets[i] - bent / 2);
      }
      EXPECT_LE(solution.lower_bound, static_cast<double>(proven) + 1e-9) << static_cast<int>(kind) << " " << price;
      EXPECT_GE(solution.lower_bound, static_cast<double>(proven) - 0.05) << static_cast<int>(kind) << " " << price;
    }
  }
}

TEST(RiskActiveRows, HighPricesOfSmoothTargets) {
  const Index n = 60;
  Matrix<double> kernel(n, n);
  Matrix<double> basis = Matrix<double>::filled(n, 1, 1 / std::sqrt(static_cast<double>(n)));
  std::vector<double> targets;
  for (Index i = 0; i < n; ++i) {
    const double x = 6.0 * static_cast<double>(i) / static_cast<double>(n);
    targets.push_back(std::sin(x));
    for (Index j = 0; j < n; ++j) {
      kernel(i, j) = std::exp(-0.5 * std::pow(x - 6.0 * static_cast<double>(j) / static_cast<double>(n), 2));
    }
  }
  for (const double price : {1e2, 1e4, 1e6}) {
    const std::vector<double> prices(static_cast<std::size_t>(n), price);
    for (const double epsilon : {0.1, 0.01}) {
      const LossPointer tube = make_loss(LossKind::epsilon_insensitive, {.epsilon = epsilon});
      const RiskProblem problem{kernel.view(), basis.view(), targets, prices, *tube};
      const RiskSolution solution = solve_risk(problem, {.largest_gap = 1e-8}, mercer::Run{});
      EXPECT_EQ(solution.status, SolveStatus::converged) << price << " " << epsilon << ": " << solution.message;
      EXPECT_LE(solution.relative_gap, 1e-8);
      // No row is outside, so that the price does not count.
      EXPECT_LT(solution.risk, 1e-7 * solution.objective);
    }
  }
}

TEST(RiskActiveRows, OnlyLossesOfThatForm) {
  const FactoredInstance instance = factored_instance(LossArgument::residual, 20, 20, 1, 9);
  for (const LossKind kind : {LossKind::epsilon_insensitive, LossKind::laplace}) {
    const LossPointer loss = make_loss(kind);
    const auto solution = solve_risk_by_active_rows(by_matrix(instance, *loss), 1e-6, mercer::Run{});
    ASSERT_TRUE(solution.has_value()) << word_of(kind);
    const RiskSolution other = solve_risk(by_matrix(instance, *loss), {}, mercer::Run{});
    EXPECT_NEAR(solution->objective, other.objective, 1e-6 * other.objective);
  }
  for (const LossKind kind : {LossKind::huber, LossKind::quantile, LossKind::squared}) {
    EXPECT_FALSE(
        solve_risk_by_active_rows(by_matrix(instance, *make_loss(kind, {.quantile = 0.3})), 1e-6, mercer::Run{}))
        << word_of(kind);
  }
  const FactoredInstance classes = factored_instance(LossArgument::margin, 20, 20, 1, 9);
  EXPECT_TRUE(solve_risk_by_active_rows(by_matrix(classes, *make_loss(LossKind::hinge)), 1e-6, mercer::Run{}));
  EXPECT_FALSE(solve_risk_by_active_rows(by_matrix(classes, *make_loss(LossKind::logistic)), 1e-6, mercer::Run{}));
}

// Classes of one number x, the functions 1 and x.
struct Line {
  Matrix<double> kernel;
  Matrix<double> basis;
  std::vector<double> signs;
  std::vector<double> prices;
};

Line line_of(const std::vector<double>& signs) {
  const auto n = static_cast<Index>(signs.size());
  Line line{.kernel = Matrix<double>::filled(n, n, 0.0),
            .basis = Matrix<double>(n, 2),
            .signs = signs,
            .prices = std::vector<double>(signs.size(), 1.0)};
  double squares = 0;
  for (Index i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) - static_cast<double>(n - 1) / 2;
    squares += x * x;
    line.basis(i, 0) = 1 / std::sqrt(static_cast<double>(n));
    line.basis(i, 1) = x;
    for (Index j = 0; j < n; ++j) {
      line.kernel(i, j) = std::exp(-0.5 * std::pow(static_cast<double>(i - j), 2));
    }
  }
  for (Index i = 0; i < n; ++i) {
    line.basis(i, 1) /= std::sqrt(squares);
  }
  return line;
}

TEST(Separation, ByFunctionsThatNothingPenalizes) {
  const LossPointer logistic = make_loss(LossKind::logistic);
  const auto separates = [&](const std::vector<double>& signs) {
    const Line line = line_of(signs);
    return basis_separates({line.kernel.view(), line.basis.view(), line.signs, line.prices, *logistic}, mercer::Run{});
  };
  EXPECT_TRUE(separates({-1, -1, -1, 1, 1, 1}));
  EXPECT_TRUE(separates({1, -1, -1, -1, -1}));
  EXPECT_FALSE(separates({-1, 1, -1, 1, 1, 1}));
  EXPECT_FALSE(separates({1, -1, 1}));
  const LossPointer huber = make_loss(LossKind::huber);
  const Line line = line_of({-1, -1, 1, 1});
  EXPECT_FALSE(
      basis_separates({line.kernel.view(), line.basis.view(), line.signs, line.prices, *huber}, mercer::Run{}));
}

TEST(Separation, IsNamedAsTheCause) {
  const Line line = line_of({-1, -1, -1, -1, 1, 1, 1, 1});
  for (const LossKind kind : {LossKind::logistic, LossKind::exponential}) {
    const LossPointer loss = make_loss(kind);
    const RiskSolution solution =
        solve_risk({line.kernel.view(), line.basis.view(), line.signs, line.prices, *loss}, {}, mercer::Run{});
    EXPECT_NE(solution.status, SolveStatus::converged) << word_of(kind);
    EXPECT_NE(solution.message.find("separate the classes by themselves"), std::string::npos)
        << word_of(kind) << ": " << solution.message;
    const SparseRiskSolution sparse = solve_sparse_risk(
        {{line.kernel.view(), line.basis.view(), line.signs, line.prices, *loss}, {}}, 1e-6, 200, mercer::Run{});
    EXPECT_NE(sparse.risk.status, SolveStatus::converged) << word_of(kind);
    EXPECT_NE(sparse.risk.message.find("separate the classes by themselves"), std::string::npos)
        << word_of(kind) << ": " << sparse.risk.message;
  }
  // Classes that the functions do not tell apart: a minimum.
  const Line mixed = line_of({-1, -1, 1, -1, 1, -1, 1, 1});
  for (const LossKind kind : {LossKind::logistic, LossKind::exponential}) {
    const LossPointer loss = make_loss(kind);
    const RiskSolution solution =
        solve_risk({mixed.kernel.view(), mixed.basis.view(), mixed.signs, mixed.prices, *loss}, {}, mercer::Run{});
    EXPECT_EQ(solution.status, SolveStatus::converged) << word_of(kind) << ": " << solution.message;
  }
  // Losses that end: a minimum of 0 by the functions alone.
  for (const LossKind kind : {LossKind::hinge, LossKind::squared_hinge}) {
    const LossPointer loss = make_loss(kind);
    const RiskSolution solution =
        solve_risk({line.kernel.view(), line.basis.view(), line.signs, line.prices, *loss}, {}, mercer::Run{});
    EXPECT_EQ(solution.status, SolveStatus::converged) << word_of(kind) << ": " << solution.message;
    EXPECT_NEAR(solution.objective, 0, 1e-5) << word_of(kind);
  }
}

}  // namespace
}  // namespace mercer
