// The regularised risk: the dual's solution is proved by a gap that the test computes from the losses' own conjugates, the
// primal's by differences of the objective.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/risk/risk_dual.h"
#include "mercer/solvers/risk/risk_newton.h"
#include "mercer/solvers/risk/risk_solver.h"
#include "mercer/theory/losses/density_loss.h"
#include "mercer/theory/losses/loss_list.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct Instance {
  Matrix<double> kernel;
  Matrix<double> basis;
  std::vector<double> targets;
  std::vector<double> prices;

  RiskProblem with(const Loss& loss) const { return {kernel.view(), basis.view(), targets, prices, loss}; }
};

// Orthonormal columns of 1, x, x² (Gram and Schmidt).
Matrix<double> polynomial_basis(const std::vector<double>& x, Index count) {
  const auto n = static_cast<Index>(x.size());
  Matrix<double> q(n, count);
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i < n; ++i) {
      q(i, j) = std::pow(x[static_cast<std::size_t>(i)], static_cast<double>(j));
    }
    for (Index k = 0; k <= j; ++k) {
      double inner = 0;
      for (Index i = 0; i < n; ++i) {
        inner += q(i, j) * q(i, k);
      }
      for (Index i = 0; i < n; ++i) {
        q(i, j) = k < j ? q(i, j) - inner * q(i, k) : q(i, j) / std::sqrt(inner);
      }
    }
  }
  return q;
}

Instance make_instance(LossArgument argument, Index n, Index functions, unsigned seed, double unit = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& value : x) {
    value = normal(random);
  }
  Instance result{.kernel = Matrix<double>(n, n), .basis = polynomial_basis(x, functions), .targets = {}, .prices = {}};
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (Index j = 0; j < n; ++j) {
      result.kernel(i, j) = unit * unit * std::exp(-std::pow(x[at] - x[static_cast<std::size_t>(j)], 2));
    }
    const double y = std::sin(2 * x[at]) + 0.3 * normal(random);
    result.targets.push_back(argument == LossArgument::residual ? unit * y : (y > 0.1 ? 1.0 : -1.0));
    result.prices.push_back(i % 4 == 0 ? 0.5 : 2.0);
  }
  if (argument == LossArgument::margin && n > 1) {
    result.targets[0] = 1;
    result.targets[1] = -1;
  }
  return result;
}

struct Values {
  double primal = 0;
  double dual = 0;
  double equations = 0;  // |Qᵀα|, relative
};

Values values_of(const RiskProblem& problem, const RiskSolution& solution) {
  Values result;
  double norm = 0;
  double total = 0;
  for (Index i = 0; i < problem.size(); ++i) {
    double f = 0;
    const double a = solution.alpha[static_cast<std::size_t>(i)];
    for (Index j = 0; j < problem.size(); ++j) {
      f += problem.kernel(i, j) * solution.alpha[static_cast<std::size_t>(j)];
    }
    norm += a * f;
    total += std::abs(a);
    for (Index j = 0; j < problem.basis.columns(); ++j) {
      f += problem.basis(i, j) * solution.gamma[static_cast<std::size_t>(j)];
    }
    const double price = problem.prices[static_cast<std::size_t>(i)];
    result.primal += price * problem.loss.value(problem.argument(i, f));
    if (problem.loss.conjugate_form()) {
      // Multipliers at a bound are outside of it by rounding.
      const LossConjugate form = *problem.loss.conjugate_form();
      const double u = std::clamp(-problem.sign(i) * a / price, form.lower, form.upper);
      result.dual -= price * problem.loss.conjugate(u);
      result.dual += problem.is_residual() ? a * problem.targets[static_cast<std::size_t>(i)] : 0.0;
    }
  }
  for (Index j = 0; j < problem.basis.columns(); ++j) {
    double sum = 0;
    for (Index i = 0; i < problem.size(); ++i) {
      sum += problem.basis(i, j) * solution.alpha[static_cast<std::size_t>(i)];
    }
    result.equations = std::max(result.equations, std::abs(sum) / (total + 1e-300));
  }
  result.primal += 0.5 * norm;
  result.dual -= 0.5 * norm;
  return result;
}

std::vector<std::pair<std::string, LossPointer>> convex_losses(double unit = 1) {
  std::vector<std::pair<std::string, LossPointer>> result;
  for (const LossEntry& entry : loss_list()) {
    if (entry.kind != LossKind::density && make_loss(entry.kind)->is_convex()) {
      result.emplace_back(word_of(entry.kind), make_loss(entry.kind, {.epsilon = 0.1 * unit, .sigma = 0.3 * unit}));
    }
  }
  result.emplace_back("polynomial 1.5", make_loss(LossKind::polynomial, {.exponent = 1.5}));
  result.emplace_back("polynomial 6", make_loss(LossKind::polynomial, {.exponent = 6}));
  result.emplace_back("piecewise 1.2",
                      make_loss(LossKind::piecewise_polynomial, {.sigma = 0.2 * unit, .exponent = 1.2}));
  result.emplace_back("quantile 0.9", make_loss(LossKind::quantile, {.quantile = 0.9}));
  return result;
}

TEST(Risk, TheGapProvesEveryConvexLoss) {
  for (const auto& [name, loss] : convex_losses()) {
    for (const Index functions : {0, 1, 3}) {
      for (const unsigned seed : {1U, 2U, 3U}) {
        const Instance instance = make_instance(loss->argument(), 25, functions, seed);
        const RiskProblem problem = instance.with(*loss);
        const RiskSolution solution = solve_risk(problem, {}, mercer::Run{});
        const std::string where = name + ", " + std::to_string(functions) + " functions, seed " + std::to_string(seed);
        EXPECT_EQ(solution.status, SolveStatus::converged) << where << ": " << solution.message;
        EXPECT_EQ(solution.optimality, Optimality::minimum) << where;
        const Values values = values_of(problem, solution);
        EXPECT_NEAR(solution.objective, values.primal, 1e-12 * values.primal) << where;
        EXPECT_LE(values.equations, 1e-7) << where;
        EXPECT_LE(values.primal - values.dual, 1e-6 * values.primal) << where;
        EXPECT_GE(values.primal - values.dual, -1e-6 * values.primal) << where;
        EXPECT_LE(solution.relative_gap, 1e-6) << where;
      }
    }
  }
}

TEST(Risk, PricesOfAllSizes) {
  for (const auto& [name, loss] : convex_losses()) {
    for (const double factor : {1e-8, 1e-4, 1.0, 1e4, 1e5}) {
      for (const Index functions : {0, 1, 3}) {
        Instance instance = make_instance(loss->argument(), 20, functions, 7);
        for (double& price : instance.prices) {
          price *= factor;
        }
        const RiskSolution solution = solve_risk(instance.with(*loss), {}, mercer::Run{});
        const std::string where = name + " prices " + std::to_string(factor) + " " + std::to_string(functions);
        EXPECT_EQ(solution.status, SolveStatus::converged) << where << ": " << solution.message;
        const Values values = values_of(instance.with(*loss), solution);
        EXPECT_NEAR(values.dual, values.primal, 2e-6 * values.primal) << where;
      }
    }
  }
}

// One row of 10⁴ times the other's price: what the gap is a share of is what the better constant costs, not the mean of both.
TEST(Risk, PricesFarApartDoNotLoosenTheGap) {
  const Matrix<double> basis = Matrix<double>::filled(2, 1, 1 / std::sqrt(2.0));
  Matrix<double> kernel = Matrix<double>::filled(2, 2, 102.0);
  kernel(0, 0) = kernel(1, 1) = 24510;
  const std::vector<double> targets = {-0.01, 100};
  const std::vector<double> prices = {2e4, 2};
  const auto solved = [&](const Loss& loss, double gap) {
    return solve_risk({kernel.view(), basis.view(), targets, prices, loss}, {.largest_gap = gap}, mercer::Run{});
  };
  const LossPointer squared = make_loss(LossKind::squared);
  const RiskSolution plain = plain_solution({kernel.view(), basis.view(), targets, prices, *squared});
  const double least = 2e4 * 2 / (2e4 + 2) * 100.01 * 100.01 / 2;
  EXPECT_NEAR(plain.objective, least, 1e-9 * least);
  const LossPointer power = make_loss(LossKind::polynomial, {.exponent = 1.5});
  const RiskSolution usual = solved(*power, 1e-6);
  EXPECT_EQ(usual.status, SolveStatus::converged) << usual.message;
  EXPECT_LE(usual.objective - usual.lower_bound, 2e-6 * usual.objective);
  EXPECT_NEAR(usual.objective, solved(*power, 1e-11).objective, 2e-6 * usual.objective);
}

// Targets, and parameters of the loss, in another unit: with prices in theirs the solution is the same in that unit.
TEST(Risk, UnitsOfTargets) {
  for (const double unit : {1e-6, 1e6}) {
    for (const double exponent : {1.0, 1.5, 2.0, 4.0, 6.0}) {
      const LossPointer loss = make_loss(LossKind::polynomial, {.exponent = exponent});
      Instance instance = make_instance(LossArgument::residual, 20, 1, 7);
      const RiskSolution expected = solve_risk(instance.with(*loss), {}, mercer::Run{});
      for (std::size_t i = 0; i < 20; ++i) {
        instance.targets[i] *= unit;
        instance.prices[i] *= std::pow(unit, 2 - exponent);
      }
      const RiskSolution solution = solve_risk(instance.with(*loss), {}, mercer::Run{});
      EXPECT_EQ(solution.status, SolveStatus::converged) << exponent << " unit " << unit << ": " << solution.message;
      EXPECT_NEAR(solution.objective, unit * unit * expected.objective, 2e-6 * unit * unit * expected.objective)
          << exponent << " unit " << unit;
    }
  }
}

TEST(RiskNewton, FindsTheMinimumOfTheDual) {
  int compared = 0;
  for (const auto& [name, loss] : convex_losses()) {
    if (!loss->is_smooth()) {
      continue;
    }
    for (const Index functions : {0, 1, 3}) {
      const Instance instance = make_instance(loss->argument(), 25, functions, 4);
      const RiskSolution dual = solve_risk_dual(instance.with(*loss), {}, mercer::Run{});
      if (dual.status != SolveStatus::converged) {
        EXPECT_TRUE(name == "polynomial 6") << name;  // its conjugate has no curvature at 0
        continue;
      }
      ++compared;
      const RiskSolution primal = solve_risk_newton(instance.with(*loss), {}, mercer::Run{});
      EXPECT_EQ(primal.status, SolveStatus::converged) << name << ": " << primal.message;
      EXPECT_EQ(primal.optimality, Optimality::minimum) << name;
      EXPECT_NEAR(primal.objective, dual.objective, 2e-6 * dual.objective) << name << " " << functions;
      for (std::size_t i = 0; i < 25; ++i) {
        EXPECT_NEAR(primal.values[i], dual.values[i], 3e-3) << name << " " << functions;
      }
    }
  }
  EXPECT_GE(compared, 27);
}

// The derivative of the objective in direction d of α and γ, by differences.
double directional(const RiskProblem& problem, const RiskSolution& solution, std::mt19937& random) {
  std::normal_distribution<double> normal;
  RiskSolution ahead = solution;
  RiskSolution behind = solution;
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < solution.alpha.size(); ++i) {
    const double d = normal(random);
    ahead.alpha[i] += step * d;
    behind.alpha[i] -= step * d;
  }
  for (std::size_t j = 0; j < solution.gamma.size(); ++j) {
    const double d = normal(random);
    ahead.gamma[j] += step * d;
    behind.gamma[j] -= step * d;
  }
  evaluate_risk(problem, ahead);
  evaluate_risk(problem, behind);
  return (ahead.objective - behind.objective) / (2 * step);
}

TEST(RiskNewton, EndsAtAStationaryPointOfLossesThatAreNotConvex) {
  const DensityLoss student(tabulate_density([](double x) { return std::pow(1 + x * x / 0.2, -2.5); }, -20, 20, 2001));
  ASSERT_FALSE(student.is_convex());
  const LossPointer bounded = make_loss(LossKind::inverse_complementary_log_log);
  std::mt19937 random(5);
  for (const Loss* loss : {static_cast<const Loss*>(&student), bounded.get()}) {
    for (const Index functions : {0, 1, 3}) {
      if (functions == 3 && loss == bounded.get()) {
        continue;  // it falls for ever: the next test
      }
      Instance instance = make_instance(loss->argument(), 25, functions, 6);
      if (loss == &student) {
        instance.targets[3] += 15;  // an outlier
      }
      const RiskProblem problem = instance.with(*loss);
      const RiskSolution solution = solve_risk_newton(problem, {}, mercer::Run{});
      EXPECT_EQ(solution.status, SolveStatus::converged) << functions << ": " << solution.message;
      EXPECT_EQ(solution.optimality, Optimality::local_minimum) << functions;
      for (int k = 0; k < 10; ++k) {
        EXPECT_NEAR(directional(problem, solution, random), 0, 1e-5 * solution.objective);
      }
      RiskSolution zero;
      zero.alpha.assign(25, 0.0);
      zero.gamma.assign(static_cast<std::size_t>(functions), 0.0);
      evaluate_risk(problem, zero);
      EXPECT_LT(solution.objective, zero.objective);
    }
  }
}

// A bounded loss and functions whose size nothing limits: infinite values of f are right where they are right, and mistakes
// cost no more than 1.
TEST(RiskNewton, SaysThatABoundedLossFallsForEver) {
  const LossPointer bounded = make_loss(LossKind::inverse_complementary_log_log);
  const Instance instance = make_instance(LossArgument::margin, 25, 3, 6);
  const RiskSolution solution = solve_risk_newton(instance.with(*bounded), {}, mercer::Run{});
  EXPECT_EQ(solution.status, SolveStatus::stalled);
  EXPECT_EQ(solution.optimality, Optimality::none);
  EXPECT_NE(solution.message.find("may have no minimum"), std::string::npos) << solution.message;
}

// One row and no functions: a problem of one number, by a grid.
TEST(RiskNewton, OneRowAgainstAGrid) {
  const DensityLoss student(tabulate_density([](double x) { return std::pow(1 + x * x, -3.0); }, -10, 10, 801));
  for (const double target : {0.2, 1.5, 4.0}) {
    Instance instance = make_instance(LossArgument::residual, 1, 0, 1);
    instance.targets = {target};
    instance.prices = {1.3};
    const RiskSolution solution = solve_risk_newton(instance.with(student), {}, mercer::Run{});
    double best = std::numeric_limits<double>::infinity();
    for (double f = -1; f < 5; f += 1e-4) {
      best = std::min(best, 0.5 * f * f + 1.3 * student.value(f - target));
    }
    // Half of a grid's step, half of the curvature (at most 9).
    EXPECT_NEAR(solution.objective, best, 2e-8) << target;
  }
}

TEST(Risk, AllTargetsEqualNeedNoKernel) {
  for (const auto& [name, loss] : convex_losses()) {
    if (loss->argument() == LossArgument::margin) {
      continue;
    }
    Instance instance = make_instance(LossArgument::residual, 12, 1, 3);
    instance.targets.assign(12, 7.5);
    const RiskSolution solution = solve_risk(instance.with(*loss), {}, mercer::Run{});
    EXPECT_EQ(solution.status, SolveStatus::converged) << name << ": " << solution.message;
    for (const double f : solution.values) {
      // What a tube leaves free is within it; the quartic loss is flat near 0.
      EXPECT_NEAR(f, 7.5, name.starts_with("polynomial") ? 0.02 : 0.1 + 1e-6) << name;
    }
  }
}

TEST(Risk, OneRowDuplicatesAndAKernelOfZeros) {
  for (const auto& [name, loss] : convex_losses()) {
    for (const Index functions : {0, 1}) {
      if (loss->argument() == LossArgument::margin && functions == 1) {
        continue;  // one class and a free constant have no minimum for some losses
      }
      const Instance one = make_instance(loss->argument(), 1, functions, 3);
      const RiskSolution solution = solve_risk(one.with(*loss), {}, mercer::Run{});
      EXPECT_EQ(solution.status, SolveStatus::converged) << name << ": " << solution.message;
    }
    // A row twice is a row of twice the price.
    Instance twice = make_instance(loss->argument(), 10, 1, 5);
    Instance heavy = make_instance(loss->argument(), 10, 1, 5);
    for (Index j = 0; j < 10; ++j) {
      twice.kernel(9, j) = twice.kernel(8, j);
    }
    for (Index i = 0; i < 10; ++i) {
      twice.kernel(i, 9) = twice.kernel(i, 8);
    }
    twice.targets[9] = twice.targets[8];
    twice.prices[9] = twice.prices[8];
    Instance merged{
        .kernel = Matrix<double>(9, 9), .basis = Matrix<double>::filled(9, 1, 1.0 / 3), .targets = {}, .prices = {}};
    for (Index i = 0; i < 9; ++i) {
      std::copy_n(twice.kernel.view().row_data(i), 9, merged.kernel.view().row_data(i));
      merged.targets.push_back(twice.targets[static_cast<std::size_t>(i)]);
      merged.prices.push_back(twice.prices[static_cast<std::size_t>(i)]);
    }
    merged.prices[8] *= 2;
    const RiskSolution a = solve_risk(twice.with(*loss), {}, mercer::Run{});
    const RiskSolution b = solve_risk(merged.with(*loss), {}, mercer::Run{});
    EXPECT_NEAR(a.objective, b.objective, 2e-6 * b.objective) << name;
    heavy.kernel = Matrix<double>::filled(10, 10, 0.0);
    const RiskSolution constant = solve_risk(heavy.with(*loss), {}, mercer::Run{});
    EXPECT_EQ(constant.status, SolveStatus::converged) << name << ": " << constant.message;
    EXPECT_EQ(constant.squared_norm, 0) << name;
  }
}

TEST(Risk, SameBitsOnAnyNumberOfThreads) {
  const Instance instance = make_instance(LossArgument::residual, 60, 2, 9);
  const LossPointer loss = make_loss(LossKind::piecewise_polynomial);
  const RiskSolution one = solve_risk_dual(instance.with(*loss), {}, mercer::Run{{.threads = 1}});
  const RiskSolution three = solve_risk_dual(instance.with(*loss), {}, mercer::Run{{.threads = 3}});
  EXPECT_EQ(one.alpha, three.alpha);
  const RiskSolution newton_one = solve_risk_newton(instance.with(*loss), {}, mercer::Run{{.threads = 1}});
  const RiskSolution newton_three = solve_risk_newton(instance.with(*loss), {}, mercer::Run{{.threads = 3}});
  EXPECT_EQ(newton_one.alpha, newton_three.alpha);
}

TEST(Risk, ProblemsThatMeanNothing) {
  const LossPointer squared = make_loss(LossKind::squared);
  const LossPointer hinge = make_loss(LossKind::hinge);
  Instance instance = make_instance(LossArgument::residual, 5, 1, 1);
  EXPECT_ERROR(solve_risk_dual(instance.with(*hinge), {}, mercer::Run{}), InvalidArgument, "1 or -1");
  EXPECT_ERROR(solve_risk_newton(instance.with(*make_loss(LossKind::laplace)), {}, mercer::Run{}), InvalidArgument,
               "needs a smooth loss");
  EXPECT_ERROR(
      solve_risk_dual(
          make_instance(LossArgument::margin, 5, 1, 1).with(*make_loss(LossKind::inverse_complementary_log_log)), {},
          mercer::Run{}),
      InvalidArgument, "no conjugate");
  EXPECT_ERROR(
      solve_risk(make_instance(LossArgument::margin, 5, 1, 1).with(*make_loss(LossKind::zero_one)), {}, mercer::Run{}),
      InvalidArgument, "neither convex nor smooth");
  instance.prices[2] = 0;
  EXPECT_ERROR(solve_risk_dual(instance.with(*squared), {}, mercer::Run{}), InvalidArgument, "price = 0");
  instance.prices.pop_back();
  EXPECT_ERROR(solve_risk_dual(instance.with(*squared), {}, mercer::Run{}), InvalidArgument, "4 prices for 5 targets");
}

}  // namespace
}  // namespace mercer
