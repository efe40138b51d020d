// Every support vector machine as its dual: KKT conditions and duality gaps on random problems, closed forms, the
// ν-property, equivalences between the machines, and LIBSVM's numbers on heart_scale.
#include "mercer/solvers/svm/svm_dual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/solvers/svm/one_class_dual.h"
#include "mercer/solvers/svm/regression_dual.h"
#include "solvers/svm_oracle.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::as_vector;
using testing::constant;
using testing::random_size;
using testing::stored_gram;
using testing::sum_of;
using testing::svm_problem;
using testing::SvmProblem;
using testing::unbounded;

constexpr BoxQpOptions exact{.tolerance = 1e-9};

std::vector<double> random_bounds(Index n, std::uint64_t seed) {
  RandomStream random(seed, 41);
  const double size = std::pow(10.0, 6 * random.uniform() - 3);  // tiny and huge
  std::vector<double> bounds;
  for (Index i = 0; i < n; ++i) {
    bounds.push_back(i > 1 && random.uniform() < 0.1 ? 0.0 : size * (0.5 + random.uniform()));
  }
  return bounds;
}

Dense decisions(const SvmProblem& p, const SvmDual& dual) {
  return (p.kernel * as_vector(dual.coefficients)).shifted(dual.offset);
}

Index support_count(const SvmDual& dual) {
  return std::ssize(dual.coefficients) - std::count(dual.coefficients.begin(), dual.coefficients.end(), 0.0);
}

// A gap and its bound: the bounds of all rows times the tolerance, and rounding.
void expect_small_gap(double gap, double bound_sum, double tolerance, double size) {
  EXPECT_GE(gap, -1e-11 * (1 + size));
  EXPECT_LE(gap, bound_sum * tolerance + 1e-11 * (1 + size));
}

double size_of(const SvmProblem& p, const std::vector<double>& bounds) {
  const double total = sum_of(bounds);
  return total * (1 + total * p.kernel.max_abs());
}

class RandomMachines : public ::testing::TestWithParam<int> {
 protected:
  RandomMachines()
      : seed_(static_cast<std::uint64_t>(GetParam())),
        problem_(
            svm_problem(random_size(seed_, 3, seed_ % 8 == 0 ? 400 : 90), 1 + static_cast<Index>(seed_ % 5), seed_)),
        bounds_(random_bounds(problem_.size(), seed_)),
        options_{.tolerance = seed_ % 2 == 0 ? 1e-3 : 1e-6} {}

  void expect_in_box(const SvmDual& dual, double scale = 1) const {
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const double alpha = problem_.signs[i] * dual.coefficients[i] / scale;
      EXPECT_GE(alpha, 0);
      EXPECT_LE(alpha, bounds_[i] * (1 + 1e-12));
    }
  }
  void expect_ended_well(const SvmDual& dual) const {
    EXPECT_EQ(dual.status, SolveStatus::converged);
    EXPECT_LE(dual.gap, options_.tolerance);
    const Dense values = problem_.kernel * as_vector(dual.coefficients);
    EXPECT_LE((values - as_vector(dual.values)).max_abs(), testing::rounding(problem_.kernel, dual.coefficients));
  }

  std::uint64_t seed_;
  SvmProblem problem_;
  std::vector<double> bounds_;
  BoxQpOptions options_;
};

TEST_P(RandomMachines, CSvc) {
  const SvmDual dual = solve_c_svc(stored_gram(problem_.kernel), problem_.signs, bounds_, options_, {});
  expect_ended_well(dual);
  expect_in_box(dual);
  const double size = size_of(problem_, bounds_);
  EXPECT_NEAR(sum_of(dual.coefficients), 0, 1e-11 * (1 + sum_of(bounds_)));
  expect_small_gap(testing::c_svc_gap(problem_, bounds_, dual), sum_of(bounds_), options_.tolerance, size);
  const Dense f = decisions(problem_, dual);
  const double slip = options_.tolerance + testing::rounding(problem_.kernel, dual.coefficients);
  Index bounded = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const double alpha = problem_.signs[i] * dual.coefficients[i];
    const double margin = problem_.signs[i] * f(static_cast<Index>(i));
    if (alpha < bounds_[i]) {
      EXPECT_GE(margin, 1 - slip);
    }
    if (alpha > 0) {
      EXPECT_LE(margin, 1 + slip);
      bounded += alpha == bounds_[i] ? 1 : 0;
    }
  }
  EXPECT_EQ(dual.bounded, bounded);
}

TEST_P(RandomMachines, SquaredSlack) {
  const SvmDual dual = solve_l2_svc(stored_gram(problem_.kernel), problem_.signs, bounds_, options_, {});
  expect_ended_well(dual);
  Dense ridged = problem_.kernel;
  double total = 0;
  for (Index i = 0; i < problem_.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    ridged(i, i) += bounds_[at] > 0 ? 1 / (2 * bounds_[at]) : 0;
    total += std::abs(dual.coefficients[at]);
    if (bounds_[at] == 0) {
      EXPECT_EQ(dual.coefficients[at], 0);  // a price of 0: the row does not count
    }
  }
  // Rows contribute at most their coefficient (and the ridge's) times the gap.
  expect_small_gap(testing::l2_svc_gap(problem_, bounds_, dual), total + options_.tolerance * sum_of(bounds_),
                   4 * options_.tolerance, size_of(problem_, {total}));
  // From its own solution there is next to nothing to do.
  const SvmDual again =
      solve_l2_svc(stored_gram(problem_.kernel), problem_.signs, bounds_, options_, {}, dual.coefficients);
  expect_ended_well(again);
  EXPECT_LE(again.steps, 2 + dual.steps / 4);
  expect_small_gap(testing::l2_svc_gap(problem_, bounds_, again), total + options_.tolerance * sum_of(bounds_),
                   4 * options_.tolerance, size_of(problem_, {total}));
}

TEST_P(RandomMachines, NuSvc) {
  const double most = largest_nu(problem_.signs, bounds_);
  for (const double share : {0.35, 0.8, 1.0}) {
    const double nu = share * most;
    SvmDual dual;
    try {
      dual = solve_nu_svc(stored_gram(problem_.kernel), problem_.signs, nu, bounds_, options_, {});
    } catch (const NumericalError& error) {
      // No margin, which machines below must not have. A strictly definite kernel always has one.
      EXPECT_NE(std::string(error.what()).find("leaves no margin"), std::string::npos) << error.what();
      EXPECT_LT(problem_.kernel.eigenvalues().min(), 1e-6 * problem_.kernel.max_abs());
      continue;
    }
    expect_in_box(dual, 1 / dual.margin);
    const Dense beta = dual.margin * as_vector(dual.coefficients);
    EXPECT_NEAR(beta.sum(), 0, 1e-11 * (1 + sum_of(bounds_)));
    EXPECT_NEAR(beta.sum_abs(), nu * sum_of(bounds_), 1e-11 * (1 + sum_of(bounds_)));
    expect_small_gap(testing::nu_svc_gap(problem_, nu, bounds_, dual), sum_of(bounds_), 2 * options_.tolerance,
                     size_of(problem_, bounds_));
  }
}

TEST_P(RandomMachines, EpsilonSvr) {
  for (const double epsilon : {0.0, 0.2, 100.0}) {
    const SvmDual dual =
        solve_epsilon_svr(stored_gram(problem_.kernel), problem_.targets, epsilon, bounds_, options_, {});
    expect_ended_well(dual);
    EXPECT_NEAR(sum_of(dual.coefficients), 0, 1e-11 * (1 + sum_of(bounds_)));
    expect_small_gap(testing::svr_gap(problem_, 0, bounds_, dual), 2 * sum_of(bounds_), options_.tolerance,
                     size_of(problem_, bounds_));
    const Dense f = decisions(problem_, dual);
    const double slip = options_.tolerance + testing::rounding(problem_.kernel, dual.coefficients);
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const double above = problem_.targets[i] - f(static_cast<Index>(i));
      const double beta = dual.coefficients[i];
      EXPECT_LE(std::abs(beta), bounds_[i]);
      if (beta < bounds_[i]) {
        EXPECT_LE(above, epsilon + slip);
      }
      if (beta > 0) {
        EXPECT_GE(above, epsilon - slip);
      }
      if (beta > -bounds_[i]) {
        EXPECT_GE(above, -epsilon - slip);
      }
      if (beta < 0) {
        EXPECT_LE(above, -epsilon + slip);
      }
    }
    if (epsilon == 100.0) {
      EXPECT_EQ(as_vector(dual.coefficients).sum_abs(), 0);
      EXPECT_GE(dual.offset, *std::ranges::max_element(problem_.targets) - 100);
      EXPECT_LE(dual.offset, *std::ranges::min_element(problem_.targets) + 100);
    }
  }
}

TEST_P(RandomMachines, NuSvr) {
  for (const double nu : {0.1, 0.5, 1.0}) {
    const SvmDual dual = solve_nu_svr(stored_gram(problem_.kernel), problem_.targets, nu, bounds_, options_, {});
    expect_ended_well(dual);
    EXPECT_GE(dual.margin, -options_.tolerance);
    EXPECT_NEAR(sum_of(dual.coefficients), 0, 1e-11 * (1 + sum_of(bounds_)));
    EXPECT_LE(as_vector(dual.coefficients).sum_abs(), nu * sum_of(bounds_) * (1 + 1e-11) + 1e-12);
    expect_small_gap(testing::svr_gap(problem_, nu, bounds_, dual), 2 * sum_of(bounds_), 2 * options_.tolerance,
                     size_of(problem_, bounds_));
  }
}

TEST_P(RandomMachines, OneClassAndBall) {
  for (const double nu : {0.02, 0.3, 1.0}) {
    const SvmDual plane = solve_one_class(stored_gram(problem_.kernel), nu, bounds_, options_, {});
    expect_ended_well(plane);
    EXPECT_NEAR(sum_of(plane.coefficients), nu * sum_of(bounds_), 1e-11 * (1 + sum_of(bounds_)));
    expect_small_gap(testing::one_class_gap(problem_.kernel, nu, bounds_, plane), sum_of(bounds_), options_.tolerance,
                     size_of(problem_, bounds_));
    const SvmDual ball = solve_svdd(stored_gram(problem_.kernel), nu, bounds_, options_, {});
    expect_ended_well(ball);
    EXPECT_NEAR(sum_of(ball.coefficients), 1, 1e-11);
    expect_small_gap(testing::svdd_gap(problem_.kernel, nu, bounds_, ball), 2 / nu, options_.tolerance,
                     problem_.kernel.max_abs() / nu);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMachines, ::testing::Range(0, 40));

// Closed forms.

TEST(SvmDual, TwoPointsOnALine) {
  const Dense x = Dense::of_rows({{1}, {-1}});
  const SvmProblem p{x, {1, -1}, {}, x * x.transpose()};
  const SvmDual hard = solve_c_svc(stored_gram(p.kernel), p.signs, constant(2, unbounded), exact, {});
  EXPECT_NEAR(hard.coefficients[0], 0.5, 1e-9);
  EXPECT_NEAR(hard.coefficients[1], -0.5, 1e-9);
  EXPECT_NEAR(hard.offset, 0, 1e-9);
  EXPECT_NEAR(hard.objective, -0.5, 1e-9);
  EXPECT_EQ(hard.bounded, 0);
  const SvmDual soft = solve_c_svc(stored_gram(p.kernel), p.signs, constant(2, 0.1), exact, {});
  EXPECT_EQ(soft.coefficients, (std::vector<double>{0.1, -0.1}));
  EXPECT_EQ(soft.bounded, 2);
}

TEST(SvmDual, ExclusiveOrWithAQuadraticKernel) {
  const Dense x = Dense::of_rows({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}});
  const Dense k = (x * x.transpose()).map([](double product) { return (product + 1) * (product + 1); });
  const SvmDual dual =
      solve_c_svc(stored_gram(k), std::vector<double>{1, 1, -1, -1}, constant(4, unbounded), exact, {});
  for (const double beta : dual.coefficients) {
    EXPECT_NEAR(std::abs(beta), 0.125, 1e-9);
  }
  EXPECT_NEAR(dual.offset, 0, 1e-9);
  EXPECT_NEAR(as_vector(dual.coefficients).dot(k * as_vector(dual.coefficients)), 0.5, 1e-8);
}

TEST(SvmDual, OneClassOfTwoPoints) {
  const Dense k = Dense::of_rows({{1, 0.3}, {0.3, 1}});
  const SvmDual all = solve_one_class(stored_gram(k), 1, constant(2, 1), exact, {});
  EXPECT_EQ(all.coefficients, (std::vector<double>{1, 1}));  // × νm = 2
  EXPECT_NEAR(all.offset, -1.3, 1e-12);
  const SvmDual half = solve_one_class(stored_gram(k), 0.5, constant(2, 1), exact, {});
  EXPECT_NEAR(half.coefficients[0], 0.5, 1e-9);
  const SvmDual ball = solve_svdd(stored_gram(k), 0.5, constant(2, 1), exact, {});
  EXPECT_NEAR(ball.coefficients[0], 0.5, 1e-9);
  EXPECT_NEAR(ball.margin, 0.25 * (1 + 1 - 2 * 0.3), 1e-8);  // a quarter of the squared distance
}

TEST(SvmDual, ATinyBoundAndBalancedClassesPutAllAtTheBound) {
  SvmProblem p = svm_problem(40, 2, 5);
  for (std::size_t i = 0; i < 40; ++i) {
    p.signs[i] = i % 2 == 0 ? 1 : -1;
  }
  const SvmDual dual = solve_c_svc(stored_gram(p.kernel), p.signs, constant(40, 1e-6), exact, {});
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(dual.coefficients[i], p.signs[i] * 1e-6);
  }
}

TEST(SvmDual, WithoutAFreeVectorTheOffsetIsTheMiddleOfItsInterval) {
  // Points 2, 3 | -1, -5 on a line with a tiny bound: all at the bound.
  const Dense x = Dense::of_rows({{2}, {3}, {-1}, {-5}});
  const SvmProblem p{x, {1, 1, -1, -1}, {}, x * x.transpose()};
  const double c = 1e-3;
  const SvmDual dual = solve_c_svc(stored_gram(p.kernel), p.signs, constant(4, c), exact, {});
  const Dense g = p.kernel * as_vector(dual.coefficients);
  EXPECT_EQ(dual.bounded, 4);
  // At the bound: y (g + b) <= 1.
  const double highest = std::min(1 - g(0), 1 - g(1));
  const double lowest = std::max(-1 - g(2), -1 - g(3));
  EXPECT_NEAR(dual.offset, (highest + lowest) / 2, 1e-12);
}

TEST(SvmDual, TinyMachinesReachTheMinimumOverAllFaces) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const SvmProblem p = svm_problem(random_size(seed, 2, 6), 2, seed);
    const std::vector<double> bounds = constant(p.size(), seed % 2 == 0 ? 0.3 : 5);
    BoxQp qp;
    for (Index i = 0; i < p.size(); ++i) {
      const double sign = p.signs[i];
      qp.linear.push_back(-sign);
      qp.lower.push_back(std::min(0.0, sign * bounds[0]));
      qp.upper.push_back(std::max(0.0, sign * bounds[0]));
      qp.start.push_back(0);
    }
    const SvmDual dual = solve_c_svc(stored_gram(p.kernel), p.signs, bounds, exact, {});
    EXPECT_NEAR(dual.objective, testing::DenseQp(p.kernel, qp).brute_force_minimum(), 1e-7) << seed;
    if (p.size() > 3) {
      continue;
    }
    BoxQp tube;
    for (const double side : {1.0, -1.0}) {
      for (Index i = 0; i < p.size(); ++i) {
        tube.linear.push_back(side * 0.1 - p.targets[i]);
        tube.lower.push_back(side > 0 ? 0 : -bounds[0]);
        tube.upper.push_back(side > 0 ? bounds[0] : 0);
        tube.start.push_back(0);
      }
    }
    const SvmDual regression = solve_epsilon_svr(stored_gram(p.kernel), p.targets, 0.1, bounds, exact, {});
    EXPECT_NEAR(regression.objective, testing::DenseQp(p.kernel, tube).brute_force_minimum(), 1e-7) << seed;
  }
}

// Properties and equivalences.

SvmProblem overlapping(Index n, std::uint64_t seed) {
  SvmProblem p = svm_problem(n, 2, seed);
  p.kernel = testing::gaussian_kernel(p.x, 0.7);
  return p;
}

TEST(SvmDual, HardMarginIdentities) {
  SvmProblem p = overlapping(60, 3);
  for (std::size_t i = 0; i < 60; ++i) {
    p.signs[i] = p.x(static_cast<Index>(i), 0) > 0.1 ? 1 : -1;
  }
  const SvmDual dual = solve_c_svc(stored_gram(p.kernel), p.signs, constant(60, unbounded), exact, {});
  ASSERT_EQ(dual.status, SolveStatus::converged);
  const Dense beta = as_vector(dual.coefficients);
  const double squared_norm = beta.dot(p.kernel * beta);
  EXPECT_NEAR(beta.sum_abs(), squared_norm, 1e-6 * squared_norm);
  EXPECT_NEAR(-2 * dual.objective, squared_norm, 1e-6 * squared_norm);
  const Dense f = decisions(p, dual);
  for (Index i = 0; i < 60; ++i) {
    const double margin = p.signs[i] * f(i);
    EXPECT_GE(margin, 1 - 1e-8);
    if (beta(i) != 0) {
      EXPECT_NEAR(margin, 1, 1e-8);
    }
  }
}

TEST(SvmDual, SquaredSlackIsAHardMarginWithARidge) {
  for (const double c : {0.1, 10.0}) {
    const SvmProblem p = overlapping(120, 4);
    const SvmDual soft = solve_l2_svc(stored_gram(p.kernel), p.signs, constant(120, c), exact, {});
    const Dense ridged = p.kernel + Dense::identity(120) / (2 * c);
    const SvmDual hard = solve_c_svc(stored_gram(ridged), p.signs, constant(120, unbounded), exact, {});
    EXPECT_LT((as_vector(soft.coefficients) - as_vector(hard.coefficients)).max_abs(), 1e-6 * c);
    EXPECT_NEAR(soft.offset, hard.offset, 1e-7);
    EXPECT_NEAR(soft.objective, hard.objective, 1e-6);
    const Dense f = decisions(p, soft);
    for (Index i = 0; i < 120; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (soft.coefficients[at] != 0) {
        EXPECT_NEAR(1 - p.signs[at] * f(i), p.signs[at] * soft.coefficients[at] / (2 * c), 1e-7);
      }
    }
  }
}

TEST(SvmDual, NuSvcHasTheNuProperty) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SvmProblem p = overlapping(200, seed);
    const std::vector<double> weights = constant(200, 1);
    for (const double share : {0.5, 0.9}) {
      const double nu = share * largest_nu(p.signs, weights);
      SvmDual dual;
      try {
        dual = solve_nu_svc(stored_gram(p.kernel), p.signs, nu, weights, exact, {});
      } catch (const NumericalError&) {
        continue;
      }
      ++solved;
      const Dense f = decisions(p, dual);
      std::array<double, 2> errors{};
      std::array<double, 2> support{};
      for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t side = p.signs[i] > 0 ? 0 : 1;
        errors[side] += p.signs[i] * f(static_cast<Index>(i)) < 1 - 1e-6 ? 1 : 0;
        support[side] += dual.coefficients[i] != 0 ? 1 : 0;
      }
      for (const std::size_t side : {0, 1}) {
        EXPECT_LE(errors[side] / 200, nu / 2 + 1e-12);
        EXPECT_GE(support[side] / 200, nu / 2 - 1e-12);
      }
    }
  }
  EXPECT_GE(solved, 6);
}

TEST(SvmDual, NuAndCAreARing) {
  const SvmProblem p = overlapping(150, 8);
  const std::vector<double> ones = constant(150, 1);
  const double nu = 0.8 * largest_nu(p.signs, ones);
  const SvmDual by_nu = solve_nu_svc(stored_gram(p.kernel), p.signs, nu, ones, exact, {});
  const double c = 1 / by_nu.margin;
  const SvmDual by_c = solve_c_svc(stored_gram(p.kernel), p.signs, constant(150, c), exact, {});
  EXPECT_LT((decisions(p, by_nu) - decisions(p, by_c)).max_abs(), 1e-6);
  EXPECT_NEAR(as_vector(by_c.coefficients).sum_abs() / (c * 150), nu, 1e-6);
}

TEST(SvmDual, NuSvrHasTheNuPropertyAndMatchesItsEpsilon) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SvmProblem p = overlapping(180, seed);
    for (const double nu : {0.2, 0.6}) {
      const std::vector<double> bounds = constant(180, 2);
      const SvmDual dual = solve_nu_svr(stored_gram(p.kernel), p.targets, nu, bounds, exact, {});
      ASSERT_GT(dual.margin, 0);
      const Dense f = decisions(p, dual);
      double above = 0;
      double below = 0;
      double support = 0;
      for (std::size_t i = 0; i < 180; ++i) {
        const double rest = p.targets[i] - f(static_cast<Index>(i));
        above += rest > dual.margin + 1e-6 ? 1 : 0;
        below += rest < -dual.margin - 1e-6 ? 1 : 0;
        support += dual.coefficients[i] != 0 ? 1 : 0;
      }
      EXPECT_LE(above / 180, nu / 2 + 1e-12);
      EXPECT_LE(below / 180, nu / 2 + 1e-12);
      EXPECT_GE(support / 180, nu - 1e-12);
      const SvmDual same = solve_epsilon_svr(stored_gram(p.kernel), p.targets, dual.margin, bounds, exact, {});
      EXPECT_LT((decisions(p, same) - f).max_abs(), 1e-5);
    }
  }
}

TEST(SvmDual, NuOfOneIsATubeWithoutWidth) {
  const SvmProblem p = overlapping(100, 2);
  const std::vector<double> bounds = constant(100, 1);
  const SvmDual by_nu = solve_nu_svr(stored_gram(p.kernel), p.targets, 1, bounds, exact, {});
  const SvmDual beyond = solve_nu_svr(stored_gram(p.kernel), p.targets, 3, bounds, exact, {});
  const SvmDual tube = solve_epsilon_svr(stored_gram(p.kernel), p.targets, 0, bounds, exact, {});
  EXPECT_NEAR(by_nu.margin, 0, 1e-8);
  EXPECT_EQ(by_nu.coefficients, beyond.coefficients);
  EXPECT_LT((decisions(p, by_nu) - decisions(p, tube)).max_abs(), 1e-5);
}

TEST(SvmDual, AKernelOfZerosGivesTheTrimmedMiddle) {
  SvmProblem p = overlapping(10, 1);
  p.kernel = Dense(10, 10);
  p.targets = {5, 1, 9, 3, 7, 2, 8, 4, 6, 100};
  // A quarter is trimmed on each side, 2.5 rows: what stays inside reaches from 3 to 8.
  const SvmDual dual = solve_nu_svr(stored_gram(p.kernel), p.targets, 0.5, constant(10, 1), exact, {});
  EXPECT_NEAR(dual.offset, 5.5, 1e-9);
  EXPECT_NEAR(dual.margin, 2.5, 1e-9);
}

TEST(SvmDual, OneClassHasTheNuPropertyAndDrawsTheBallForConstantDiagonals) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SvmProblem p = overlapping(160, seed);
    const std::vector<double> ones = constant(160, 1);
    for (const double nu : {0.004, 0.13, 0.5}) {
      const SvmDual plane = solve_one_class(stored_gram(p.kernel), nu, ones, exact, {});
      const Dense f = decisions(p, plane);
      EXPECT_LE(f.map([](double value) { return value < -1e-7 ? 1.0 : 0.0; }).sum() / 160, nu + 1e-12);
      EXPECT_GE(static_cast<double>(support_count(plane)) / 160, nu - 1e-12);
      EXPECT_LE(plane.offset, 0);
      const SvmDual ball = solve_svdd(stored_gram(p.kernel), nu, ones, exact, {});
      const double total = nu * 160;
      const Dense center = as_vector(plane.coefficients) / total;
      // The expansions agree as functions (equal samples may share their weight differently).
      EXPECT_LT((p.kernel * (center - as_vector(ball.coefficients))).max_abs(), 1e-5);
      const double squared_norm = center.dot(p.kernel * center);
      EXPECT_NEAR(ball.margin, 1 + 2 * plane.offset / total + squared_norm, 1e-5);
    }
  }
}

TEST(SvmDual, WholeWeightsAreRepeatedRowsAndZeroRemovesThem) {
  const SvmProblem p = overlapping(50, 9);
  std::vector<double> weights;
  std::vector<Index> repeated;
  for (Index i = 0; i < 50; ++i) {
    const Index times = i < 2 ? 1 : i % 4;
    weights.push_back(static_cast<double>(times));
    repeated.insert(repeated.end(), static_cast<std::size_t>(times), i);
  }
  const auto n = static_cast<Index>(repeated.size());
  SvmProblem q;
  q.x = p.x.picked_rows(repeated);
  q.kernel = p.kernel.picked(repeated, repeated);
  for (const Index i : repeated) {
    q.signs.push_back(p.signs[i]);
    q.targets.push_back(p.targets[i]);
  }
  const DenseGram<double> few = stored_gram(p.kernel);
  const DenseGram<double> many = stored_gram(q.kernel);
  const std::vector<double> ones = constant(n, 1);
  const auto expect_same = [&](const SvmDual& weighted, const SvmDual& plain) {
    const Dense a = decisions(p, weighted);
    const Dense b = decisions(q, plain);
    for (Index r = 0; r < n; ++r) {
      EXPECT_NEAR(a(repeated[r]), b(r), 1e-5);
    }
    EXPECT_NEAR(weighted.objective, plain.objective, 1e-6 * (1 + std::abs(plain.objective)));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) {
        EXPECT_EQ(weighted.coefficients[i], 0);
      }
    }
  };
  expect_same(solve_c_svc(few, p.signs, weights, exact, {}), solve_c_svc(many, q.signs, ones, exact, {}));
  expect_same(solve_l2_svc(few, p.signs, weights, exact, {}), solve_l2_svc(many, q.signs, ones, exact, {}));
  const double nu = 0.9 * largest_nu(p.signs, weights);
  EXPECT_DOUBLE_EQ(largest_nu(p.signs, weights), largest_nu(q.signs, ones));
  expect_same(solve_nu_svc(few, p.signs, nu, weights, exact, {}), solve_nu_svc(many, q.signs, nu, ones, exact, {}));
  expect_same(solve_epsilon_svr(few, p.targets, 0.1, weights, exact, {}),
              solve_epsilon_svr(many, q.targets, 0.1, ones, exact, {}));
  expect_same(solve_nu_svr(few, p.targets, 0.4, weights, exact, {}),
              solve_nu_svr(many, q.targets, 0.4, ones, exact, {}));
  expect_same(solve_one_class(few, 0.3, weights, exact, {}), solve_one_class(many, 0.3, ones, exact, {}));
  const SvmDual ball = solve_svdd(few, 0.3, weights, exact, {});
  EXPECT_NEAR(ball.margin, solve_svdd(many, 0.3, ones, exact, {}).margin, 1e-6);
}

TEST(SvmDual, OutliersMayMoveWithoutChangingTheTube) {
  SvmProblem p = overlapping(80, 6);
  const std::vector<double> bounds = constant(80, 1);
  const SvmDual before = solve_epsilon_svr(stored_gram(p.kernel), p.targets, 0.2, bounds, exact, {});
  const Dense f = decisions(p, before);
  Index moved = 0;
  for (std::size_t i = 0; i < 80; ++i) {
    if (before.coefficients[i] == 1 && p.targets[i] - f(static_cast<Index>(i)) > 0.25) {
      p.targets[i] += 3;
      ++moved;
    }
  }
  ASSERT_GT(moved, 0);
  const SvmDual after = solve_epsilon_svr(stored_gram(p.kernel), p.targets, 0.2, bounds, exact, {});
  EXPECT_LT((decisions(p, after) - f).max_abs(), 1e-6);
}

TEST(SvmDual, OppositeLabelsOnEqualPointsAreAllAtTheBound) {
  SvmProblem p = overlapping(30, 7);
  const Dense x = p.x;
  p.x = Dense(60, x.columns());
  p.x.set_block(0, 0, x);
  p.x.set_block(30, 0, x);
  p.kernel = testing::gaussian_kernel(p.x, 0.7);
  p.signs = constant(60, 1);
  std::fill(p.signs.begin() + 30, p.signs.end(), -1.0);
  for (const double c : {1e-3, 1.0, 1e6}) {
    const SvmDual dual = solve_c_svc(stored_gram(p.kernel), p.signs, constant(60, c), {.tolerance = 1e-3}, {});
    EXPECT_EQ(dual.status, SolveStatus::converged);
    EXPECT_NEAR(dual.objective, -60 * c, 1e-2 * c);
    EXPECT_EQ(dual.bounded, 60);
  }
  EXPECT_ERROR(solve_nu_svc(stored_gram(p.kernel), p.signs, 0.5, constant(60, 1), exact, {}), NumericalError,
               "nu = 0.5 leaves no margin");
}

TEST(SvmDual, ASolutionIsItsOwnWarmStartAndAnyStartIsMadeFeasible) {
  const SvmProblem p = overlapping(200, 10);
  const DenseGram<double> gram = stored_gram(p.kernel);
  const std::vector<double> bounds = constant(200, 10);
  const SvmDual cold = solve_c_svc(gram, p.signs, bounds, exact, {});
  EXPECT_GT(cold.steps, 50);
  const SvmDual warm = solve_c_svc(gram, p.signs, bounds, exact, {}, cold.coefficients);
  EXPECT_LE(warm.steps, 3);
  EXPECT_NEAR(warm.objective, cold.objective, 1e-7);
  const SvmDual tube = solve_epsilon_svr(gram, p.targets, 0.1, bounds, exact, {});
  EXPECT_LE(solve_epsilon_svr(gram, p.targets, 0.1, bounds, exact, {}, tube.coefficients).steps, 3);
  // Smaller bounds, a fold left out.
  std::vector<double> part = constant(200, 4);
  for (std::size_t i = 0; i < 200; i += 5) {
    part[i] = 0;
  }
  const SvmDual from_start = solve_c_svc(gram, p.signs, part, exact, {}, cold.coefficients);
  EXPECT_NEAR(from_start.objective, solve_c_svc(gram, p.signs, part, exact, {}).objective, 1e-6);
  expect_small_gap(testing::c_svc_gap(p, part, from_start), sum_of(part), 1e-9, size_of(p, part));
}

TEST(SvmDual, FloatKernelValuesAgreeWithDouble) {
  const SvmProblem p = overlapping(300, 11);
  const std::vector<double> bounds = constant(300, 10);
  const SvmDual single = solve_c_svc(stored_gram<float>(p.kernel), p.signs, bounds, {.tolerance = 1e-3}, {});
  const SvmDual verified =
      solve_c_svc(stored_gram(p.kernel), p.signs, bounds, {.tolerance = 1e-3}, {}, single.coefficients);
  const SvmDual full = solve_c_svc(stored_gram(p.kernel), p.signs, bounds, {.tolerance = 1e-3}, {});
  EXPECT_EQ(single.status, SolveStatus::converged);
  EXPECT_LE(verified.gap, 1e-3);
  EXPECT_LE(verified.steps, full.steps / 4);
  EXPECT_NEAR(single.objective, full.objective, 1e-5 * std::abs(full.objective));
}

TEST(SvmDual, ConditionallyPositiveKernelsOfOrderOne) {
  const SvmProblem p = overlapping(60, 12);
  Dense distance(60, 60);
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 60; ++j) {
      distance(i, j) = -(p.x.row(i) - p.x.row(j)).norm();
    }
  }
  SvmProblem conditional = p;
  conditional.kernel = distance;
  const std::vector<double> bounds = constant(60, 3);
  const SvmDual dual = solve_c_svc(stored_gram(distance), p.signs, bounds, exact, {});
  EXPECT_EQ(dual.status, SolveStatus::converged);
  expect_small_gap(testing::c_svc_gap(conditional, bounds, dual), sum_of(bounds), 1e-9, size_of(conditional, bounds));
  // A constant does not matter.
  const SvmDual shifted = solve_c_svc(stored_gram(distance.shifted(7)), p.signs, bounds, exact, {});
  EXPECT_NEAR(shifted.objective, dual.objective, 1e-6);
}

TEST(SvmDual, AnInfeasibleNuNamesItsRange) {
  const SvmProblem p = overlapping(20, 3);
  std::vector<double> signs = constant(20, -1);
  signs[0] = signs[1] = 1;
  const std::vector<double> ones = constant(20, 1);
  EXPECT_DOUBLE_EQ(largest_nu(signs, ones), 0.2);
  const std::string message =
      message_of<InvalidArgument>([&] { solve_nu_svc(stored_gram(p.kernel), signs, 0.3, ones, exact, {}); });
  EXPECT_NE(message.find("0.3"), std::string::npos) << message;
  EXPECT_NE(message.find("0.2"), std::string::npos) << message;
  EXPECT_ERROR(solve_nu_svc(stored_gram(p.kernel), signs, 0, ones, exact, {}), InvalidArgument,
               "nu = 0 is not feasible for these classes");
  EXPECT_ERROR(solve_nu_svc(stored_gram(p.kernel), signs, std::nan(""), ones, exact, {}), InvalidArgument,
               "nu = nan is not feasible for these classes");
  EXPECT_NO_THROW(solve_nu_svc(stored_gram(p.kernel), signs, 0.2, ones, exact, {}));
}

TEST(SvmDual, RefusesOneClassAndOtherLengths) {
  const SvmProblem p = overlapping(10, 3);
  const DenseGram<double> gram = stored_gram(p.kernel);
  const std::vector<double> ones = constant(10, 1);
  EXPECT_ERROR(solve_c_svc(gram, ones, ones, exact, {}), InvalidArgument, "a classifier needs samples of two classes");
  EXPECT_ERROR(solve_l2_svc(gram, ones, ones, exact, {}), InvalidArgument, "a classifier needs samples of two classes");
  EXPECT_ERROR(solve_c_svc(gram, p.signs, constant(9, 1), exact, {}), InvalidArgument, "9 bounds for 10 samples");
  EXPECT_ERROR(solve_c_svc(gram, constant(9, 1), ones, exact, {}), InvalidArgument, "9 signs for 10 samples");
  EXPECT_ERROR(solve_epsilon_svr(gram, constant(11, 1), 0.1, ones, exact, {}), InvalidArgument,
               "11 targets for 10 samples");
  EXPECT_ERROR(solve_c_svc(gram, p.signs, constant(10, -1), exact, {}), InvalidArgument,
               "a quadratic programme with an upper bound below the lower one");
  EXPECT_ERROR(solve_c_svc(gram, p.signs, constant(10, std::nan("")), exact, {}), InvalidArgument,
               "a quadratic programme with an upper bound below the lower one");
  std::vector<double> broken = p.targets;
  broken[3] = std::nan("");
  EXPECT_ERROR(solve_epsilon_svr(gram, broken, 0.1, ones, exact, {}), InvalidArgument,
               "a quadratic programme with a number that is not finite");
}

// LIBSVM 3.24 on heart_scale, svm-train -s S -t T -e 1e-7: objective, rho, number of support vectors and of those at
// the bound.
struct Peer {
  int machine;
  int kernel;
  double objective;
  double rho;
  Index support;
  Index bounded;
};
constexpr Peer peers[] = {
    {0, 0, -92.473359, -1.049098, 101, 88},    {0, 1, -131.800253, -0.165708, 177, 151},
    {0, 2, -100.877292, 0.424508, 132, 107},   {0, 3, -110.099366, -0.334335, 124, 116},
    {1, 0, 0.562974, -0.217044, 139, 132},     {1, 1, 60.092734, -0.247356, 153, 113},
    {1, 2, 9.563630, 0.226564, 145, 125},      {1, 3, 7.222225, -0.220945, 139, 132},
    {2, 0, 8750.837409, 201.259657, 137, 133}, {2, 1, 88.127791, 1.916666, 144, 126},
    {2, 2, 3366.935440, 54.425724, 141, 130},  {2, 3, 640.971293, 14.889549, 137, 132},
    {3, 0, -109.344322, -0.132953, 208, 194},  {3, 1, -117.306800, -0.116191, 202, 166},
    {3, 2, -95.509975, 0.225342, 200, 145},    {3, 3, -135.930195, -0.113873, 257, 248},
    {4, 0, -112.762014, -0.298399, 143, 128},  {4, 1, -123.129739, -0.109936, 153, 113},
    {4, 2, -107.405051, 0.332139, 154, 114},   {4, 3, -121.377676, -0.310937, 139, 131},
};

Dense peer_kernel(const Dense& x, int kind) {
  const Dense products = x * x.transpose();
  const double gamma = 1.0 / 13;
  switch (kind) {
    case 0:
      return products;
    case 1:
      return products.map([gamma](double product) { return std::pow(gamma * product, 3); });
    case 2:
      return testing::gaussian_kernel(x, gamma);
    default:
      return products.map([gamma](double product) { return std::tanh(gamma * product); });
  }
}

TEST(SvmDual, AgreesWithLibsvmOnHeartScale) {
  const std::string path = real_data("libsvm/heart_scale");
  if (path.empty()) {
    GTEST_SKIP() << "MERCER_DATA is not there";
  }
  const DataFile file = read_data(path);
  const Samples dense = to_dense<double>(file.samples);
  const auto& rows = dense.as<DenseRows<double>>();
  Dense x(rows.rows, rows.columns);
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      x(i, j) = rows(i, j);
    }
  }
  const Matrix<double> targets = file.targets->values();
  const std::vector<double> y(targets.data(), targets.data() + targets.rows());
  const std::vector<double> ones = constant(rows.rows, 1);
  const BoxQpOptions options{.tolerance = 1e-7};
  for (const Peer& peer : peers) {
    SCOPED_TRACE("-s " + std::to_string(peer.machine) + " -t " + std::to_string(peer.kernel));
    const Dense kernel = peer_kernel(x, peer.kernel);
    const DenseGram<double> gram = stored_gram(kernel);
    const SvmDual dual = peer.machine == 0   ? solve_c_svc(gram, y, ones, options, {})
                         : peer.machine == 1 ? solve_nu_svc(gram, y, 0.5, ones, options, {})
                         : peer.machine == 2 ? solve_one_class(gram, 0.5, ones, options, {})
                         : peer.machine == 3 ? solve_epsilon_svr(gram, y, 0.1, ones, options, {})
                                             : solve_nu_svr(gram, y, 0.5, ones, options, {});
    EXPECT_EQ(dual.status, SolveStatus::converged);
    EXPECT_LE(dual.gap, 1e-7);
    // The sigmoid is indefinite: only a stationary point.
    const double allowed = peer.kernel == 3 ? 1e-3 : 1e-5;
    EXPECT_NEAR(dual.objective, peer.objective, allowed * std::abs(peer.objective));
    const Index support = support_count(dual);
    if (peer.kernel != 3) {
      EXPECT_NEAR(-dual.offset, peer.rho, 1e-3);
      EXPECT_NEAR(static_cast<double>(support), static_cast<double>(peer.support),
                  0.01 * static_cast<double>(peer.support));
      EXPECT_NEAR(static_cast<double>(dual.bounded), static_cast<double>(peer.bounded),
                  0.01 * static_cast<double>(peer.bounded));
    }
  }
}

}  // namespace
}  // namespace mercer
