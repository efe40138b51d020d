// What `converged` promises at the usual tolerance: KKT conditions relative to the size of the problem, recomputed in
// double, whatever the units of kernel, weights and targets; offsets in the middle of their interval.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/solvers/linear/linear_svm.h"
#include "mercer/solvers/svm/one_class_dual.h"
#include "mercer/solvers/svm/regression_dual.h"
#include "mercer/solvers/svm/svm_dual.h"
#include "solvers/svm_oracle.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::as_vector;
using testing::constant;
using testing::stored_gram;
using testing::sum_of;
using testing::SvmProblem;

constexpr BoxQpOptions usual{};
constexpr double promised = 1e-3;  // the usual tolerance
const std::vector<double> sizes = {1e-12, 1e-6, 1e-3, 1, 1e3, 1e6, 1e12};

SvmProblem noisy(Index n, double gamma, std::uint64_t seed) {
  SvmProblem p = testing::svm_problem(n, 2, seed);
  p.kernel = testing::gaussian_kernel(p.x, gamma);
  return p;
}

// max{g_j : β_j > lower} − min{g_i : β_i < upper}, upper = bounds and lower = 0.
double kkt_gap(const Dense& gradient, const std::vector<double>& beta, const std::vector<double>& bounds) {
  double largest = -testing::unbounded;
  double smallest = testing::unbounded;
  for (std::size_t i = 0; i < beta.size(); ++i) {
    const double value = gradient(static_cast<Index>(i));
    largest = beta[i] > 0 ? std::max(largest, value) : largest;
    smallest = beta[i] < bounds[i] * (1 - 1e-12) ? std::min(smallest, value) : smallest;
  }
  return largest - smallest;
}

// y f(x) ≥ 1 below the bound, ≤ 1 above 0.
double margin_violation(const SvmProblem& p, const SvmDual& dual, double bound) {
  const Dense f = (p.kernel * as_vector(dual.coefficients)).shifted(dual.offset);
  double worst = 0;
  for (std::size_t i = 0; i < p.signs.size(); ++i) {
    const double alpha = p.signs[i] * dual.coefficients[i];
    const double margin = p.signs[i] * f(static_cast<Index>(i));
    worst = alpha < bound * (1 - 1e-12) ? std::max(worst, 1 - margin) : worst;
    worst = alpha > 0 ? std::max(worst, margin - 1) : worst;
  }
  return worst;
}

TEST(SvmPromise, NuSvcIsTheMachineOfItsCost) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const SvmProblem p = noisy(120, 0.5, seed);
    const std::vector<double> ones = constant(120, 1);
    for (const double share : {0.5, 0.7, 1.0}) {
      const double nu = share * largest_nu(p.signs, ones);
      SvmDual dual;
      try {
        dual = solve_nu_svc(stored_gram(p.kernel), p.signs, nu, ones, usual, {});
      } catch (const NumericalError&) {
        continue;  // equal rows of both classes force more errors
      }
      ++solved;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", share " + std::to_string(share));
      EXPECT_EQ(dual.status, SolveStatus::converged);
      EXPECT_LE(dual.gap, promised);
      const double c = 1 / dual.margin;
      EXPECT_LE(margin_violation(p, dual, c), 1.01 * promised);
      const SvmDual by_c = solve_c_svc(stored_gram(p.kernel), p.signs, constant(120, c), {.tolerance = 1e-8}, {});
      const double value = -by_c.objective;
      const double primal = value + testing::c_svc_gap(p, constant(120, c), dual);
      EXPECT_NEAR(primal, value, 3 * promised * value);
    }
  }
  EXPECT_GE(solved, 16);
}

TEST(SvmPromise, NuSvcDoesNotDependOnUnits) {
  const SvmProblem p = noisy(100, 0.5, 11);
  const std::vector<double> ones = constant(100, 1);
  const double nu = 0.8 * largest_nu(p.signs, ones);
  const SvmDual plain = solve_nu_svc(stored_gram(p.kernel), p.signs, nu, ones, {.tolerance = 1e-10}, {});
  for (const double size : sizes) {
    for (const double weight : {1.0, size}) {
      const SvmDual dual = solve_nu_svc(stored_gram(size * p.kernel), p.signs, nu, constant(100, weight), usual, {});
      EXPECT_EQ(dual.status, SolveStatus::converged) << size;
      EXPECT_NEAR(dual.margin / (size * weight), plain.margin, 2 * promised * plain.margin) << size;
      const Dense f = (size * p.kernel * as_vector(dual.coefficients)).shifted(dual.offset);
      const Dense wanted = (p.kernel * as_vector(plain.coefficients)).shifted(plain.offset);
      EXPECT_LT((f - wanted).max_abs(), 10 * promised * (1 + wanted.max_abs())) << size;
    }
  }
}

TEST(SvmPromise, NoMarginIsAnErrorInEveryUnit) {
  // Two classes of the same points: no ν has a margin.
  SvmProblem p = noisy(40, 0.5, 3);
  for (Index i = 0; i < 20; ++i) {
    for (Index j = 0; j < 2; ++j) {
      p.x(20 + i, j) = p.x(i, j);
    }
    p.signs[i] = 1;
    p.signs[20 + i] = -1;
  }
  for (const double size : sizes) {
    const Dense kernel = size * testing::gaussian_kernel(p.x, 0.5);
    EXPECT_ERROR(solve_nu_svc(stored_gram(kernel), p.signs, 0.4, constant(40, 1), usual, {}), NumericalError,
                 "nu = 0.4 leaves no margin")
        << size;
    SvmDual hulls = solve_hulls(stored_gram(kernel), p.signs, constant(40, 1), usual, {});
    EXPECT_ERROR(make_hard_margin(hulls, p.signs), NumericalError, "the classes cannot be separated with this kernel")
        << size;
  }
}

TEST(SvmPromise, WithoutFreeCoefficientsRhoIsTheMiddleOfItsInterval) {
  // On a line: of each class the three nearest to the other are at their bound, the others at 0. Three times 0.1 is not
  // 0.3 in double, and what is left must not count as a free coefficient.
  const std::vector<double> places = {1.1, 1.7, 2.2, 3.0, 4.5, -0.4, -0.9, -1.3, -2.4, -3.1};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (int turn = 0; turn < 10; ++turn) {
    std::rotate(order.begin(), order.begin() + 3, order.end());
    std::swap(order[0], order[turn]);
    SvmProblem p{Dense(10, 1), {}, {}, {}};
    for (std::size_t i = 0; i < 10; ++i) {
      p.x(static_cast<Index>(i), 0) = places[order[i]];
      p.signs.push_back(order[i] < 5 ? 1 : -1);
    }
    p.kernel = p.x * p.x.transpose();
    for (const double weight : {0.1, 1.0, 7.3}) {
      const SvmDual dual = solve_nu_svc(stored_gram(p.kernel), p.signs, 0.6, constant(10, weight), usual, {});
      EXPECT_EQ(dual.bounded, 6);
      const double slope = weight * (1.1 + 1.7 + 2.2 + 0.4 + 0.9 + 1.3);
      const double above = slope * (2.2 + 3.0) / 2;
      const double below = -slope * (1.3 + 2.4) / 2;
      EXPECT_NEAR(dual.margin, (above - below) / 2, 1e-12 * above) << turn;
      EXPECT_NEAR(dual.offset * dual.margin, -(above + below) / 2, 1e-12 * above) << turn;
    }
  }
}

TEST(SvmPromise, OneClassIsRightForTinyNu) {
  const SvmProblem p = noisy(100, 0.5, 21);
  const std::vector<double> ones = constant(100, 1);
  // Below 1/n only the scale of the coefficients changes.
  const SvmDual exact = solve_one_class(stored_gram(p.kernel), 0.01, ones, {.tolerance = 1e-11}, {});
  for (const double nu : {1e-2, 1e-5, 1e-9}) {
    const SvmDual dual = solve_one_class(stored_gram(p.kernel), nu, ones, usual, {});
    EXPECT_EQ(dual.status, SolveStatus::converged);
    const double rho = -exact.offset * nu / 0.01;
    EXPECT_NEAR(-dual.offset, rho, promised * rho) << nu;
    const double gap = kkt_gap(p.kernel * as_vector(dual.coefficients), dual.coefficients, ones);
    EXPECT_LE(gap, 1.01 * promised * rho) << nu;
    EXPECT_LE(gap, dual.gap * (1 + 1e-6) + 1e-14 * rho);
  }
}

TEST(SvmPromise, OneClassAndBallDoNotDependOnUnits) {
  const SvmProblem p = noisy(90, 0.5, 31);
  const Dense linear = p.x * p.x.transpose();
  const std::vector<double> ones = constant(90, 1);
  const SvmDual plane = solve_one_class(stored_gram(p.kernel), 0.2, ones, {.tolerance = 1e-11}, {});
  const SvmDual ball = solve_svdd(stored_gram(linear), 0.2, ones, {.tolerance = 1e-11}, {});
  for (const double size : sizes) {
    SCOPED_TRACE(size);
    const SvmDual scaled = solve_one_class(stored_gram(size * p.kernel), 0.2, ones, usual, {});
    EXPECT_EQ(scaled.status, SolveStatus::converged);
    EXPECT_NEAR(scaled.offset / size, plane.offset, -promised * plane.offset);
    EXPECT_LE(kkt_gap(size * p.kernel * as_vector(scaled.coefficients), scaled.coefficients, ones),
              -1.01 * promised * size * plane.offset);
    const SvmDual weighted = solve_one_class(stored_gram(p.kernel), 0.2, constant(90, size), usual, {});
    EXPECT_NEAR(weighted.offset / size, plane.offset, -promised * plane.offset);
    const SvmDual round = solve_svdd(stored_gram(size * linear), 0.2, ones, usual, {});
    EXPECT_EQ(round.status, SolveStatus::converged);
    EXPECT_NEAR(round.margin / size, ball.margin, 2 * promised * ball.margin);
    EXPECT_LE(testing::svdd_gap(size * linear, 0.2, ones, round), 4 * promised * size * ball.margin / 0.2);
  }
}

TEST(SvmPromise, OneClassAndBallAgreeForWideKernels) {
  // k(x, x) = 1: the same centre, up to Σβ, and f = Σβ (1 + ‖c‖² − d²)/2. With a wide kernel all values are near 1.
  const SvmProblem p = noisy(120, 1, 41);
  for (const double gamma : {1.0, 1e-2, 1e-4, 1e-6}) {
    const Dense kernel = testing::gaussian_kernel(p.x, gamma);
    const std::vector<double> ones = constant(120, 1);
    const SvmDual plane = solve_one_class(stored_gram(kernel), 0.05, ones, usual, {});
    const SvmDual ball = solve_svdd(stored_gram(kernel), 0.05, ones, usual, {});
    const SvmDual exact = solve_svdd(stored_gram(kernel), 0.05, ones, {.tolerance = 1e-9}, {});
    EXPECT_EQ(plane.status, SolveStatus::converged) << gamma;
    EXPECT_EQ(ball.status, SolveStatus::converged) << gamma;
    const Dense center = as_vector(plane.coefficients) / (0.05 * 120);
    const double norm = center.dot(kernel * center);
    const double squared_radius = 1 + norm + 2 * plane.offset / (0.05 * 120);
    EXPECT_NEAR(ball.margin, exact.margin, 2 * promised * exact.margin) << gamma;
    EXPECT_NEAR(squared_radius, exact.margin, 4 * promised * exact.margin) << gamma;
  }
}

TEST(SvmPromise, SamplesAroundTheOriginAndEqualSamplesEnd) {
  Dense x = Dense::of_rows({{1, 0}, {-1, 0.2}, {0.1, 1}, {0, -1}, {0.5, 0.5}});
  const SvmDual around = solve_one_class(stored_gram(x * x.transpose()), 0.3, constant(5, 1), usual, {});
  EXPECT_EQ(around.status, SolveStatus::converged);
  EXPECT_LE(std::abs(around.offset), around.accuracy);
  const Dense equal = Dense(6, 6).map([](double) { return 0.7; });
  EXPECT_EQ(solve_svdd(stored_gram(equal), 0.3, constant(6, 1), usual, {}).margin, 0);
  EXPECT_NEAR(solve_one_class(stored_gram(equal), 0.5, constant(6, 1), usual, {}).offset, -2.1, 1e-12);
}

TEST(SvmPromise, HardMarginsAreFoundHoweverThin) {
  // Two rows of points on parallel lines, 2·margin apart.
  for (const double margin : {1.0, 1e-2, 2.5e-4, 1e-5}) {
    SvmProblem p{Dense(40, 2), {}, {}, {}};
    RandomStream random(7, 1);
    for (Index i = 0; i < 40; ++i) {
      const double sign = i % 2 == 0 ? 1 : -1;
      const double along = 4 * random.uniform() - 2;
      const double away = margin + (i < 8 ? 0.0 : std::abs(random.normal()));
      p.x(i, 0) = 0.8 * along - 0.6 * sign * away;
      p.x(i, 1) = 0.6 * along + 0.8 * sign * away;
      p.signs.push_back(sign);
    }
    p.kernel = p.x * p.x.transpose();
    SvmDual dual = solve_hulls(stored_gram(p.kernel), p.signs, constant(40, 1), usual, {});
    make_hard_margin(dual, p.signs);
    EXPECT_EQ(dual.status, SolveStatus::converged) << margin;
    EXPECT_LE(margin_violation(p, dual, testing::unbounded), 1.01 * promised) << margin;
    const Dense beta = as_vector(dual.coefficients);
    EXPECT_NEAR(1 / std::sqrt(beta.dot(p.kernel * beta)), margin, 2 * promised * margin);
    EXPECT_NEAR(beta.sum_abs(), -2 * dual.objective, 1e-9 * beta.sum_abs());
    EXPECT_NEAR(beta.sum(), 0, 1e-12 * beta.sum_abs());
  }
}

TEST(SvmPromise, RegressionDoesNotDependOnTheUnitOfTargets) {
  const SvmProblem p = noisy(90, 0.5, 51);
  const SvmDual tube =
      solve_epsilon_svr(stored_gram(p.kernel), p.targets, 0.1, constant(90, 1), {.tolerance = 1e-9}, {});
  const SvmDual nu = solve_nu_svr(stored_gram(p.kernel), p.targets, 0.4, constant(90, 1), {.tolerance = 1e-9}, {});
  const double spread = as_vector(p.targets).max_abs();
  for (const double size : {1e-9, 1e-6, 1e-3, 1e3}) {
    SCOPED_TRACE(size);
    std::vector<double> y = p.targets;
    for (double& value : y) {
      value *= size;
    }
    const std::vector<double> bounds = constant(90, size);
    const SvmDual a = solve_epsilon_svr(stored_gram(p.kernel), y, 0.1 * size, bounds, usual, {});
    const SvmDual b = solve_nu_svr(stored_gram(p.kernel), y, 0.4, bounds, usual, {});
    EXPECT_EQ(a.status, SolveStatus::converged);
    EXPECT_EQ(b.status, SolveStatus::converged);
    EXPECT_LT((as_vector(a.values) / size - as_vector(tube.values)).max_abs(), 10 * promised * spread);
    EXPECT_LT((as_vector(b.values) / size - as_vector(nu.values)).max_abs(), 10 * promised * spread);
    EXPECT_NEAR(a.offset / size, tube.offset, 5 * promised * spread);
    EXPECT_NEAR(b.margin / size, nu.margin, 5 * promised * spread);
  }
}

TEST(SvmPromise, TinyKernelValuesTakeNoMoreSteps) {
  const SvmProblem p = noisy(150, 0.5, 61);
  const SvmDual plain = solve_c_svc(stored_gram(p.kernel), p.signs, constant(150, 1), usual, {});
  // Powers of 2: the same roundings.
  const double size = std::ldexp(1.0, -60);
  const SvmDual tiny = solve_c_svc(stored_gram(size * p.kernel), p.signs, constant(150, 1 / size), usual, {});
  EXPECT_EQ(tiny.steps, plain.steps);
  EXPECT_EQ(tiny.offset, plain.offset);
}

TEST(SvmPromise, LinearRegressionOfTinyTargetsTakesNoMorePasses) {
  const SvmProblem p = noisy(200, 0.5, 71);
  const double size = std::ldexp(1.0, -30);  // a power of 2: the same roundings
  std::vector<double> x;
  std::vector<double> tiny;
  for (Index i = 0; i < 200; ++i) {
    x.insert(x.end(), {p.x(i, 0), p.x(i, 1)});
    tiny.push_back(size * p.targets[i]);
  }
  const Samples samples = make_dense(x, 200, 2);
  LinearSvmOptions options{.loss = LinearLoss::epsilon_insensitive, .epsilon = 0.1};
  const LinearSvmResult plain = solve_linear_svm({samples, p.targets, constant(200, 1)}, options);
  options.epsilon = 0.1 * size;
  const LinearSvmResult scaled = solve_linear_svm({samples, tiny, constant(200, size)}, options);
  EXPECT_EQ(plain.status, SolveStatus::converged);
  EXPECT_EQ(scaled.passes, plain.passes);
  EXPECT_EQ(scaled.intercept, size * plain.intercept);
}

}  // namespace
}  // namespace mercer
