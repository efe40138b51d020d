// Joint multi-class machines: strong duality, KKT conditions and bounds by plain loops over the definitions.
#include "mercer/solvers/svm/joint_multiclass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/solvers/svm/svm_dual.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

struct ClassProblem {
  Matrix<double> kernel;
  std::vector<std::int32_t> classes;
  std::vector<double> bounds;
  Index class_count = 0;

  Index size() const { return kernel.rows(); }
  JointProblem view() const { return {.classes = classes, .class_count = class_count, .bounds = bounds}; }
  template <class T>
  DenseGram<T> gram() const {
    Matrix<T> copy(size(), size());
    std::copy_n(kernel.data(), size() * size(), copy.data());
    return DenseGram<T>(std::move(copy));
  }
};

Matrix<double> rbf(const Matrix<double>& x, double gamma) {
  Matrix<double> k(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      double squared = 0;
      for (Index c = 0; c < x.columns(); ++c) {
        squared += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
      }
      k(i, j) = std::exp(-gamma * squared);
    }
  }
  return k;
}

// Overlapping clouds, the first class the largest; bounds differ by samples.
ClassProblem clouds(Index n, Index classes, std::uint64_t seed, double cost = 1, double gamma = 0.5) {
  RandomStream random(seed, 5);
  Matrix<double> x(n, 2);
  ClassProblem problem;
  problem.class_count = classes;
  for (Index i = 0; i < n; ++i) {
    const auto c = i < classes ? i : static_cast<Index>(random.below(static_cast<std::uint64_t>(2 * classes)));
    const Index own = c < classes ? c : 0;
    problem.classes.push_back(static_cast<std::int32_t>(own));
    x(i, 0) = 1.5 * std::cos(2.0 * static_cast<double>(own)) + random.normal();
    x(i, 1) = 1.5 * std::sin(2.0 * static_cast<double>(own)) + random.normal();
    problem.bounds.push_back(cost * (0.5 + random.uniform()));
  }
  problem.kernel = rbf(x, gamma);
  return problem;
}

double value(const ClassProblem& problem, const JointResult& result, Index i, Index c) {
  double sum = result.offsets[c];
  for (Index j = 0; j < problem.size(); ++j) {
    sum += problem.kernel(i, j) * result.coefficients(j, c);
  }
  return sum;
}

struct Objectives {
  double primal = 0;
  double dual = 0;
};

Objectives objectives(const ClassProblem& problem, const JointResult& result, JointLoss loss) {
  double norm = 0;
  double slack = 0;
  double gain = 0;
  for (Index i = 0; i < problem.size(); ++i) {
    const Index own = problem.classes[i];
    double sum = 0;
    double worst = 0;
    for (Index c = 0; c < problem.class_count; ++c) {
      const double f = value(problem, result, i, c);
      norm += result.coefficients(i, c) * (f - result.offsets[c]);
      if (c != own) {
        const double term = std::max(0.0, 2 + f - value(problem, result, i, own));
        sum += term;
        worst = std::max(worst, term);
      }
    }
    slack += problem.bounds[i] * (loss == JointLoss::weston_watkins ? sum : worst);
    gain += 2 * result.coefficients(i, own);
  }
  return {norm / 2 + slack, gain - norm / 2};
}

void expect_feasible(const ClassProblem& problem, const JointResult& result, const JointOptions& options) {
  std::vector<double> totals(problem.class_count, 0.0);
  for (Index i = 0; i < problem.size(); ++i) {
    const Index own = problem.classes[i];
    const double bound = problem.bounds[i];
    double sum = 0;
    for (Index c = 0; c < problem.class_count; ++c) {
      const double b = result.coefficients(i, c);
      sum += b;
      totals[c] += b;
      if (c == own) {
        EXPECT_GE(b, 0);
        if (options.loss == JointLoss::crammer_singer) {
          EXPECT_LE(b, bound);
        }
      } else {
        EXPECT_LE(b, 0);
        EXPECT_GE(b, -bound * (1 + 1e-12));
      }
    }
    EXPECT_NEAR(sum, 0, 1e-11 * bound);
  }
  if (options.offsets == JointOffsets::exact) {
    for (const double total : totals) {
      EXPECT_LE(std::abs(total), options.tolerance);
    }
  }
}

// By the definitions, in double: what is below its bound may not want to rise, what is above 0 not to fall.
double kkt_violation(const ClassProblem& problem, const JointResult& result, JointLoss loss) {
  double worst = 0;
  for (Index i = 0; i < problem.size(); ++i) {
    const Index own = problem.classes[i];
    const double bound = problem.bounds[i];
    if (bound == 0) {
      continue;
    }
    double largest_term = 0;
    for (Index c = 0; c < problem.class_count; ++c) {
      if (c != own) {
        largest_term = std::max(largest_term, 2 + value(problem, result, i, c) - value(problem, result, i, own));
      }
    }
    for (Index c = 0; c < problem.class_count; ++c) {
      if (c == own) {
        continue;
      }
      const double term = 2 + value(problem, result, i, c) - value(problem, result, i, own);
      const double a = -result.coefficients(i, c);
      if (loss == JointLoss::weston_watkins) {
        worst = std::max({worst, a < bound ? term : 0.0, a > 0 ? -term : 0.0});
      } else {
        // Weight rests on the largest terms only, and on all of C_i where they are positive.
        worst = std::max(worst, a > 0 ? largest_term - term : 0.0);
        worst = std::max(worst, result.coefficients(i, own) < bound * (1 - 1e-9) ? largest_term : 0.0);
      }
    }
  }
  return worst;
}

struct Case {
  JointLoss loss;
  JointOffsets offsets;
};
class JointMulticlass : public ::testing::TestWithParam<Case> {};

TEST_P(JointMulticlass, PrimalAndDualMeet) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    for (const double cost : {0.01, 1.0, 30.0}) {
      const ClassProblem problem = clouds(40 + 7 * static_cast<Index>(seed), 3, seed, cost);
      const JointOptions options{.loss = GetParam().loss, .offsets = GetParam().offsets, .tolerance = 1e-7};
      const JointResult result = solve_joint_multiclass(problem.gram<double>(), problem.view(), options, mercer::Run());
      ASSERT_EQ(result.status, SolveStatus::converged) << seed << " " << cost << " " << result.gap;
      expect_feasible(problem, result, options);
      const Objectives both = objectives(problem, result, options.loss);
      EXPECT_NEAR(both.primal, both.dual, 1e-5 * both.primal) << seed << " " << cost;
      EXPECT_NEAR(result.primal, both.primal, 1e-9 * both.primal);
      EXPECT_NEAR(-result.objective, both.dual, 1e-9 * both.primal);
      EXPECT_LE(kkt_violation(problem, result, options.loss), 1.01e-7);
      EXPECT_NEAR(result.offsets[0] + result.offsets[1] + result.offsets[2], 0, 1e-9);
    }
  }
}

TEST_P(JointMulticlass, WorkingSetsFindTheSameOptimum) {
  const ClassProblem problem = clouds(700, 4, 9, 2.0);
  const JointOptions options{.loss = GetParam().loss, .offsets = GetParam().offsets, .tolerance = 1e-5};
  const JointResult result = solve_joint_multiclass(problem.gram<double>(), problem.view(), options, mercer::Run());
  ASSERT_EQ(result.status, SolveStatus::converged);
  EXPECT_GT(result.rounds, 1);
  EXPECT_LE(kkt_violation(problem, result, options.loss), 1.01e-5);
  const Objectives both = objectives(problem, result, options.loss);
  EXPECT_NEAR(both.primal, both.dual, 1e-4 * both.primal);
  JointOptions small = options;
  small.memory_mb = 1;
  const JointResult narrow = solve_joint_multiclass(problem.gram<double>(), problem.view(), small, mercer::Run());
  ASSERT_EQ(narrow.status, SolveStatus::converged);
  EXPECT_NEAR(narrow.objective, result.objective, 1e-5 * both.primal);
}

TEST_P(JointMulticlass, AnyNumberOfThreadsTheSameBits) {
  const ClassProblem problem = clouds(650, 3, 4);
  const JointOptions options{.loss = GetParam().loss, .offsets = GetParam().offsets};
  const auto solve = [&](int threads) {
    return solve_joint_multiclass(problem.gram<float>(), problem.view(), options, mercer::Run{{.threads = threads}});
  };
  const JointResult one = solve(1);
  for (const int threads : {2, 3}) {
    const JointResult other = solve(threads);
    EXPECT_TRUE(testing::same_bits(one.coefficients, other.coefficients));
    EXPECT_EQ(one.offsets, other.offsets);
  }
}

TEST_P(JointMulticlass, BoundsOfZeroLeaveSamplesOut) {
  ClassProblem problem = clouds(30, 3, 6);
  ClassProblem part = clouds(30, 3, 6);
  for (std::size_t i = 20; i < 30; ++i) {
    problem.bounds[i] = 0;
  }
  part.classes.resize(20);
  part.bounds.resize(20);
  part.kernel = Matrix<double>::copy_of(problem.kernel.view().block(0, 0, 20, 20));
  const JointOptions options{.loss = GetParam().loss, .offsets = GetParam().offsets, .tolerance = 1e-8};
  const JointResult with = solve_joint_multiclass(problem.gram<double>(), problem.view(), options, mercer::Run());
  const JointResult without = solve_joint_multiclass(part.gram<double>(), part.view(), options, mercer::Run());
  EXPECT_NEAR(with.objective, without.objective, 1e-6 * std::abs(without.objective));
  for (Index i = 20; i < 30; ++i) {
    EXPECT_EQ(with.coefficients(i, 0), 0);
  }
}

TEST_P(JointMulticlass, StartsFromASolution) {
  const ClassProblem problem = clouds(60, 3, 8);
  const JointOptions options{.loss = GetParam().loss, .offsets = GetParam().offsets, .tolerance = 1e-6};
  const JointResult first = solve_joint_multiclass(problem.gram<double>(), problem.view(), options, mercer::Run());
  JointProblem again = problem.view();
  again.start = first.coefficients.view();
  again.start_offsets = first.offsets;
  const JointResult second = solve_joint_multiclass(problem.gram<double>(), again, options, mercer::Run());
  EXPECT_EQ(second.status, SolveStatus::converged);
  EXPECT_LE(second.steps, first.steps / 4);
  EXPECT_NEAR(second.objective, first.objective, 1e-8 * std::abs(first.objective));
  // A sum of coefficients that should be at a bound may be a digit beyond it.
  Matrix<double> rounded = Matrix<double>::copy_of(first.coefficients.view());
  for (Index i = 0; i < rounded.rows(); ++i) {
    for (double& coefficient : rounded.view().row(i)) {
      coefficient *= 1 + 1e-14;
    }
  }
  again.start = rounded.view();
  const JointResult third = solve_joint_multiclass(problem.gram<double>(), again, options, mercer::Run());
  EXPECT_EQ(third.status, SolveStatus::converged);
  for (Index i = 0; i < rounded.rows(); ++i) {
    const Index own = problem.classes[i];
    for (Index c = 0; c < 3; ++c) {
      EXPECT_TRUE(c == own || std::abs(third.coefficients(i, c)) <= problem.bounds[i]) << i;
    }
    EXPECT_TRUE(GetParam().loss == JointLoss::weston_watkins || third.coefficients(i, own) <= problem.bounds[i]) << i;
  }
  Matrix<double> broken = Matrix<double>::copy_of(first.coefficients.view());
  broken(0, 0) += 1;
  again.start = broken.view();
  EXPECT_ERROR(solve_joint_multiclass(problem.gram<double>(), again, options, mercer::Run()), InvalidArgument,
               "a joint multi-class machine needs a feasible start");
}

TEST_P(JointMulticlass, IterationLimitSaysHowFarItCame) {
  const ClassProblem problem = clouds(80, 3, 3);
  const JointOptions options{
      .loss = GetParam().loss, .offsets = GetParam().offsets, .tolerance = 1e-9, .max_steps = 15};
  const JointResult result = solve_joint_multiclass(problem.gram<double>(), problem.view(), options, mercer::Run());
  EXPECT_EQ(result.status, SolveStatus::iteration_limit);
  EXPECT_LE(result.steps, 15);
  EXPECT_GT(result.gap, 1e-9);
  EXPECT_NEAR(result.gap, kkt_violation(problem, result, options.loss), 1e-9);
}

TEST_P(JointMulticlass, DegenerateProblemsEnd) {
  const JointOptions options{.loss = GetParam().loss, .offsets = GetParam().offsets, .tolerance = 1e-4};
  const auto solved = [&](const ClassProblem& problem) {
    const JointResult result = solve_joint_multiclass(problem.gram<double>(), problem.view(), options, mercer::Run());
    EXPECT_EQ(result.status, SolveStatus::converged);
    expect_feasible(problem, result, options);
    EXPECT_LE(kkt_violation(problem, result, options.loss), 1.01e-4);
  };
  ClassProblem duplicates = clouds(12, 3, 1);
  std::fill_n(duplicates.kernel.data(), 144, 1.0);  // one point, all labels
  solved(duplicates);
  std::fill_n(duplicates.kernel.data(), 144, 0.0);
  solved(duplicates);
  solved(clouds(3, 3, 1));  // one sample per class
  solved(clouds(60, 3, 1, 1e-6));
  solved(clouds(30, 3, 1, 1e5, 20.0));  // separable, never at a bound
}

INSTANTIATE_TEST_SUITE_P(Losses, JointMulticlass,
                         ::testing::Values(Case{JointLoss::weston_watkins, JointOffsets::exact},
                                           Case{JointLoss::weston_watkins, JointOffsets::none},
                                           Case{JointLoss::crammer_singer, JointOffsets::none},
                                           Case{JointLoss::crammer_singer, JointOffsets::exact}),
                         [](const auto& info) {
                           return std::string(info.param.loss == JointLoss::weston_watkins ? "WestonWatkins"
                                                                                           : "CrammerSinger") +
                                  (info.param.offsets == JointOffsets::exact ? "WithOffsets" : "");
                         });

TEST(JointMulticlassOfTwo, IsTheTwoClassMachine) {
  for (const JointLoss loss : {JointLoss::weston_watkins, JointLoss::crammer_singer}) {
    const ClassProblem problem = clouds(70, 2, 11, 3.0);
    const JointOptions options{.loss = loss, .tolerance = 1e-8};
    const JointResult joint = solve_joint_multiclass(problem.gram<double>(), problem.view(), options, mercer::Run());
    std::vector<double> signs;
    for (const std::int32_t c : problem.classes) {
      signs.push_back(c == 1 ? 1.0 : -1.0);
    }
    const SvmDual binary =
        solve_c_svc(problem.gram<double>(), signs, problem.bounds, BoxQpOptions{.tolerance = 1e-9}, mercer::Run());
    ASSERT_EQ(joint.status, SolveStatus::converged);
    for (Index i = 0; i < problem.size(); ++i) {
      EXPECT_NEAR(joint.coefficients(i, 1), binary.coefficients[i], 1e-5);
      EXPECT_NEAR(joint.coefficients(i, 0), -binary.coefficients[i], 1e-5);
    }
    EXPECT_NEAR(joint.offsets[1], binary.offset, 1e-6);
    EXPECT_NEAR(joint.objective, 2 * binary.objective, 1e-6 * std::abs(binary.objective));
  }
}

// k = −|x − y|: the sums of 0 make it positive.
TEST(JointMulticlassOfConditionalKernels, PrimalAndDualMeet) {
  for (const Index n : {20, 90, 600}) {
    for (const double cost : {0.05, 2.0}) {
      ClassProblem problem = clouds(n, 3, 17, cost);
      for (Index i = 0; i < n * n; ++i) {
        problem.kernel.data()[i] = -std::sqrt(std::max(0.0, -std::log(problem.kernel.data()[i]) / 0.5));
      }
      const JointOptions options{.tolerance = 1e-5};
      const JointResult result = solve_joint_multiclass(problem.gram<double>(), problem.view(), options, mercer::Run());
      ASSERT_EQ(result.status, SolveStatus::converged) << n << " " << cost << " " << result.gap;
      expect_feasible(problem, result, options);
      EXPECT_LE(kkt_violation(problem, result, options.loss), 1.01e-5);
      const Objectives both = objectives(problem, result, options.loss);
      EXPECT_NEAR(both.primal, both.dual, 1e-4 * both.primal) << n << " " << cost;
    }
  }
}

// A machine by float kernel values is where the one by double values starts, and its coefficients at bounds are sums.
TEST(JointMulticlassStart, OfAFloatMachineIsFeasible) {
  const std::vector<double> column = {0.9, -0.8, -0.5, 0.7, 1.5, -0.9, 2.1, 1.0};
  ClassProblem problem;
  problem.class_count = 3;
  problem.classes = {1, 2, 2, 0, 2, 1, 2, 2};
  problem.bounds.assign(8, 0.1);
  Matrix<double> x(8, 1);
  std::copy(column.begin(), column.end(), x.data());
  problem.kernel = rbf(x, 0.1);
  for (const JointOffsets offsets : {JointOffsets::none, JointOffsets::exact}) {
    const JointOptions options{.loss = JointLoss::crammer_singer, .offsets = offsets};
    const JointResult first = solve_joint_multiclass(problem.gram<float>(), problem.view(), options, mercer::Run());
    JointProblem again = problem.view();
    again.start = first.coefficients.view();
    again.start_offsets = first.offsets;
    const JointResult second = solve_joint_multiclass(problem.gram<double>(), again, options, mercer::Run());
    EXPECT_EQ(second.status, SolveStatus::converged);
    EXPECT_LE(second.gap, options.tolerance);
  }
}

TEST(JointMulticlassArguments, AreChecked) {
  ClassProblem problem = clouds(10, 3, 2);
  const auto solve = [&](const JointOptions& options) {
    return solve_joint_multiclass(problem.gram<double>(), problem.view(), options, mercer::Run());
  };
  EXPECT_ERROR(solve({.tolerance = 0}), InvalidArgument, "a joint multi-class machine needs a positive tolerance");
  EXPECT_ERROR(solve({.memory_mb = 0}), InvalidArgument, "a joint multi-class machine needs memory");
  problem.class_count = 4;  // nobody in the last
  EXPECT_ERROR(solve({}), InvalidArgument,
               "a joint multi-class machine has no sample with a positive bound in class 3");
  problem.class_count = 2;
  EXPECT_ERROR(solve({}), InvalidArgument, "a joint multi-class machine has a sample of class 2");
  problem.class_count = 3;
  problem.bounds[0] = -1;
  EXPECT_ERROR(solve({}), InvalidArgument, "a joint multi-class machine needs bounds that are finite and 0 or more");
  problem.bounds[0] = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(solve({}), InvalidArgument, "a joint multi-class machine needs bounds that are finite and 0 or more");
  problem.bounds.pop_back();
  EXPECT_ERROR(solve({}), InvalidArgument, "a joint multi-class machine needs one class and one bound per sample");
}

TEST(JointMulticlassArguments, AStopIsObeyed) {
  const ClassProblem problem = clouds(30, 3, 2);
  std::stop_source source;
  source.request_stop();
  EXPECT_ERROR(solve_joint_multiclass(problem.gram<double>(), problem.view(), JointOptions{},
                                      mercer::Run{{.stop = source.get_token()}}),
               Stopped, "stopped on request");
}

}  // namespace
}  // namespace mercer
