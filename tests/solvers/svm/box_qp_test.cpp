// The decomposition solver on any box: against all faces for tiny problems, against the KKT conditions for others, and
// whatever must not change its answer: memory, shrinking, threads, the start.
#include "mercer/solvers/svm/box_qp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/data/samples.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "solvers/svm_oracle.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::DenseQp;
using testing::expect_solved;
using testing::random_size;
using testing::stored_gram;
using testing::svm_problem;
using testing::SvmProblem;
using testing::unbounded;

// Boxes of very different sizes, some of them points, sometimes two blocks, two groups or a ridge; the start is inside.
BoxQp random_qp(Index rows, std::uint64_t seed) {
  RandomStream random(seed, 31);
  const Index blocks = 1 + static_cast<Index>(random.below(2));
  const bool two_groups = random.below(2) == 0;
  const bool with_ridge = random.below(3) == 0;
  const double scale = std::pow(10.0, 2 * random.uniform() - 1);
  BoxQp qp;
  for (Index t = 0; t < blocks * rows; ++t) {
    const bool is_point = random.uniform() < 0.1;
    const double low = is_point ? 0 : -scale * random.uniform();
    const double high = is_point ? 0 : scale * random.uniform();
    const double where = random.uniform();
    qp.linear.push_back(random.normal());
    qp.lower.push_back(low);
    qp.upper.push_back(high);
    qp.start.push_back(where < 0.3 ? low : where > 0.7 ? high : low + (high - low) * where);
    if (two_groups) {
      qp.group.push_back(static_cast<std::uint8_t>(random.below(2)));
    }
    if (with_ridge) {
      qp.ridge.push_back(random.uniform());
    }
  }
  return qp;
}

TEST(BoxQp, ReachesTheMinimumOverAllFaces) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const Index rows = random_size(seed, 1, 3);
    const Dense kernel = svm_problem(std::max<Index>(rows, 2), 2, seed).kernel.first(rows, rows);
    const BoxQp qp = random_qp(rows, seed);
    const auto result = solve_box_qp(stored_gram(kernel), qp, {.tolerance = 1e-10}, mercer::Run());
    expect_solved(kernel, qp, result, 1e-10);
    EXPECT_NEAR(result.objective, DenseQp(kernel, qp).brute_force_minimum(), 1e-8 * (1 + std::abs(result.objective)))
        << seed;
  }
}

TEST(BoxQp, HoldsTheKktConditionsOnRandomProblems) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const SvmProblem problem = svm_problem(random_size(seed, 3, 250), 1 + static_cast<Index>(seed % 4), seed);
    const BoxQp qp = random_qp(problem.size(), seed);
    const double tolerance = seed % 2 == 0 ? 1e-3 : 1e-7;
    SCOPED_TRACE(seed);
    expect_solved(problem.kernel, qp, solve_box_qp(stored_gram(problem.kernel), qp, {.tolerance = tolerance}, {}),
                  tolerance);
  }
}

TEST(BoxQp, ValuesAndLevelsAreThoseOfTheCoefficients) {
  const SvmProblem problem = svm_problem(150, 2, 3);
  const BoxQp qp = random_qp(150, 6);
  const auto result = solve_box_qp(stored_gram(problem.kernel), qp, {.tolerance = 1e-6}, {});
  const DenseQp dense(problem.kernel, qp);
  const Dense beta = testing::as_vector(result.coefficients);
  const Dense gradient = dense.hessian * beta + testing::as_vector(qp.linear);
  Dense sums(150, 1);
  for (Index t = 0; t < dense.size(); ++t) {
    sums(t % 150) += beta(t);
    if (beta(t) > dense.lower(t) && beta(t) < dense.upper(t)) {
      EXPECT_NEAR(gradient(t), result.level[dense.group(t)], 1e-6);
    }
  }
  EXPECT_LT((problem.kernel * sums - testing::as_vector(result.values)).max_abs(), 1e-11);
}

// Samples of many columns, so that kernel rows are worth keeping.
struct Wide {
  Dense kernel;
  std::shared_ptr<const PreparedKernel> prepared;
};

Wide wide_problem(Index n, Index columns, Precision precision, std::uint64_t seed) {
  RandomStream random(seed, 32);
  Dense x(n, columns);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < columns; ++j) {
      x(i, j) = (i % 2 == 0 ? 0.1 : -0.1) + random.normal();
    }
  }
  const double gamma = std::stod(std::to_string(0.5 / static_cast<double>(columns)));  // what the text will say
  return {testing::gaussian_kernel(x, gamma),
          std::make_shared<const PreparedKernel>(parse_kernel("rbf(gamma=" + std::to_string(gamma) + ")"),
                                                 make_dense(testing::to_matrix<double>(x)), precision, mercer::Run())};
}

BoxQp alternating_qp(Index n, double bound) {
  BoxQp qp;
  for (Index t = 0; t < n; ++t) {
    const bool positive = t % 2 == 0;
    qp.linear.push_back(positive ? -1 : 1);
    qp.lower.push_back(positive ? 0 : -bound);
    qp.upper.push_back(positive ? bound : 0);
    qp.start.push_back(0);
  }
  return qp;
}

TEST(BoxQp, MemoryAndShrinkingDoNotChangeTheAnswer) {
  const Index n = 400;
  for (const Index columns : {3, 200}) {
    const Wide wide = wide_problem(n, columns, Precision::double_precision, 7);
    const KernelGram<double> gram(wide.prepared);
    for (const double bound : {0.3, 30.0}) {
      const BoxQp qp = alternating_qp(n, bound);
      const auto whole =
          solve_box_qp(gram, qp, {.tolerance = 1e-7, .shrinking = Shrinking::off, .memory_mb = 1000}, {});
      EXPECT_EQ(whole.status, SolveStatus::converged);
      for (const Shrinking shrinking : {Shrinking::off, Shrinking::on}) {
        // A few rows, about seventy, a hundred and fifty, all.
        for (const double memory : {0.01, 0.23, 0.5, 1000.0}) {
          const auto result =
              solve_box_qp(gram, qp, {.tolerance = 1e-7, .shrinking = shrinking, .memory_mb = memory}, {});
          EXPECT_EQ(result.status, SolveStatus::converged);
          EXPECT_LE(result.gap, 1e-7);
          EXPECT_NEAR(result.objective, whole.objective, 1e-7 * (1 + std::abs(whole.objective)));
          EXPECT_NEAR(result.level[0], whole.level[0], 1e-5);
        }
      }
    }
  }
}

TEST(BoxQp, TinyProblemsWhoseRowsAreKept) {
  for (Index n = 1; n <= 9; ++n) {
    const Wide wide = wide_problem(n, 200, Precision::double_precision, static_cast<std::uint64_t>(n));
    const KernelGram<double> gram(wide.prepared);
    // Two sides of a tube, two groups: the second group is the one with work to do.
    BoxQp qp;
    for (const double side : {1.0, -1.0}) {
      for (Index i = 0; i < n; ++i) {
        qp.linear.push_back(side > 0 ? 0.0 : static_cast<double>(i % 3));
        qp.lower.push_back(side > 0 ? 0 : -1);
        qp.upper.push_back(side > 0 ? 1 : 0);
        qp.start.push_back(i == 0 ? side : 0.0);
        qp.group.push_back(side > 0 ? 0 : 1);
      }
    }
    SCOPED_TRACE(n);
    const auto result = solve_box_qp(gram, qp, {.tolerance = 1e-8}, {});
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_LE(DenseQp(wide.kernel, qp).gap(testing::as_vector(result.coefficients)), 1.1e-8);
  }
}

TEST(BoxQp, FloatKernelValuesAreVerifiedInDoubleSums) {
  const Index n = 350;
  const Wide wide = wide_problem(n, 3, Precision::single_precision, 5);
  const KernelGram<float> gram(wide.prepared);
  const BoxQp qp = alternating_qp(n, 10);
  const auto result = solve_box_qp(gram, qp, {.tolerance = 1e-3}, {});
  EXPECT_EQ(result.status, SolveStatus::converged);
  // The kernel values differ by float rounding, at 10 times 350 coefficients.
  EXPECT_LE(DenseQp(wide.kernel, qp).gap(testing::as_vector(result.coefficients)), 1e-3 + 2e-3);
  // Over the float values themselves, the gap is what it is said to be.
  Matrix<float> all(n, n);
  Workspace workspace;
  gram.fill({0, n}, {0, n}, all.view(), workspace);
  Dense rounded(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      rounded(i, j) = static_cast<double>(all(i, j));
    }
  }
  EXPECT_NEAR(DenseQp(rounded, qp).gap(testing::as_vector(result.coefficients)), result.gap, 1e-9);
}

TEST(BoxQp, SameBitsForAnyNumberOfThreads) {
  for (const double memory : {0.1, 1.0}) {  // too little to keep rows; some rows
    const Wide wide = wide_problem(700, 20, Precision::single_precision, 4);
    const KernelGram<float> gram(wide.prepared);
    const BoxQp qp = alternating_qp(700, 5);
    const auto solve = [&](int threads) {
      return solve_box_qp(gram, qp, {.tolerance = 1e-3, .memory_mb = memory}, mercer::Run{{.threads = threads}});
    };
    const auto one = solve(1);
    for (const int threads : {2, 3}) {
      const auto several = solve(threads);
      EXPECT_EQ(several.coefficients, one.coefficients);
      EXPECT_EQ(several.values, one.values);
      EXPECT_EQ(several.level, one.level);
      EXPECT_EQ(several.steps, one.steps);
    }
  }
}

TEST(BoxQp, LargeProblemsStartWithASample) {
  const Index n = 9000;
  RandomStream random(3, 33);
  Matrix<double> x(n, 2);
  BoxQp qp = alternating_qp(n, 1);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = random.normal() + (i % 2 == 0 ? 0.9 : -0.9);
    x(i, 1) = random.normal();
  }
  const auto prepared = std::make_shared<const PreparedKernel>(parse_kernel("rbf(gamma=0.5)"), make_dense(std::move(x)),
                                                               Precision::single_precision, mercer::Run());
  const KernelGram<float> gram(prepared);
  const auto result = solve_box_qp(gram, qp, {.tolerance = 1e-3}, {});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_NEAR(testing::sum_of(result.coefficients), 0, 1e-8);
  // The gradient of all rows, from nothing.
  std::vector<Index> rows;
  std::vector<double> coefficients;
  for (Index i = 0; i < n; ++i) {
    if (result.coefficients[i] != 0) {
      rows.push_back(i);
      coefficients.push_back(result.coefficients[i]);
    }
  }
  Matrix<float> k(1, n);
  std::vector<double> values(n, 0.0);
  for (std::size_t a = 0; a < rows.size(); ++a) {
    gram.row(rows[a], {k.data(), static_cast<std::size_t>(n)});
    for (Index j = 0; j < n; ++j) {
      values[j] += coefficients[a] * static_cast<double>(k(0, j));
    }
  }
  double smallest = unbounded;
  double largest = -unbounded;
  for (std::size_t t = 0; t < values.size(); ++t) {
    const double gradient = values[t] + qp.linear[t];
    if (result.coefficients[t] < qp.upper[t]) {
      smallest = std::min(smallest, gradient);
    }
    if (result.coefficients[t] > qp.lower[t]) {
      largest = std::max(largest, gradient);
    }
  }
  EXPECT_LE(largest - smallest, 1e-3 + 1e-4);
  EXPECT_NEAR(largest - smallest, result.gap, 1e-9);
}

TEST(BoxQp, ASolutionIsItsOwnWarmStart) {
  const SvmProblem problem = svm_problem(200, 2, 12);
  BoxQp qp = random_qp(200, 12);
  const auto gram = stored_gram(problem.kernel);
  const auto cold = solve_box_qp(gram, qp, {.tolerance = 1e-6}, {});
  EXPECT_GT(cold.steps, 20);
  qp.start = cold.coefficients;
  const auto warm = solve_box_qp(gram, qp, {.tolerance = 1e-6}, {});
  EXPECT_LE(warm.steps, 2);
  EXPECT_NEAR(warm.objective, cold.objective, 1e-9);
  EXPECT_EQ(warm.status, SolveStatus::converged);
}

TEST(BoxQp, AStepLimitReturnsStatusAndGap) {
  const SvmProblem problem = svm_problem(300, 2, 13);
  const BoxQp qp = alternating_qp(300, 100);
  const auto result = solve_box_qp(stored_gram(problem.kernel), qp, {.tolerance = 1e-6, .max_steps = 17}, {});
  EXPECT_EQ(result.status, SolveStatus::iteration_limit);
  EXPECT_EQ(result.steps, 17);
  EXPECT_GT(result.gap, 1e-6);
  const DenseQp dense(problem.kernel, qp);
  const Dense beta = testing::as_vector(result.coefficients);
  EXPECT_NEAR(dense.gap(beta), result.gap, 1e-9);
  EXPECT_NEAR(dense.objective(beta), result.objective, 1e-8);
  EXPECT_NEAR(beta.sum(), 0, 1e-9);
}

TEST(BoxQp, ATolerancePastDoublePrecisionEndsStalledOrConverged) {
  for (const Shrinking shrinking : {Shrinking::off, Shrinking::on}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const SvmProblem problem = svm_problem(120, 2, seed);
      const BoxQp qp = alternating_qp(120, 1e5);
      const auto result = solve_box_qp(stored_gram(problem.kernel), qp,
                                       {.tolerance = 1e-18, .max_steps = 200'000, .shrinking = shrinking}, {});
      EXPECT_LT(result.rounds, 5000) << seed;
      EXPECT_NEAR(DenseQp(problem.kernel, qp).gap(testing::as_vector(result.coefficients)), result.gap, 1e-6);
      EXPECT_NE(result.status, SolveStatus::stopped);
    }
  }
}

TEST(BoxQp, GapsOfRoundingEndSmallProblems) {
  // (1 + x x')² at x = 1000 and 1001: values of 10¹², gaps known to 10⁻⁴.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, 32);
    Dense kernel(12, 12);
    std::vector<double> x;
    BoxQp qp = alternating_qp(12, 1 + random.uniform());
    for (Index i = 0; i < 12; ++i) {
      x.push_back(1000.0 + static_cast<double>(random.below(2)));
      for (Index j = 0; j <= i; ++j) {
        const double value = 1 + x[i] * x[j];
        kernel(i, j) = kernel(j, i) = value * value;
      }
    }
    const auto result = solve_box_qp(stored_gram(kernel), qp, {.tolerance = 1e-9, .max_steps = 200'000}, {});
    EXPECT_LT(result.rounds, 200) << seed;
    EXPECT_NE(result.status, SolveStatus::iteration_limit) << seed;
    EXPECT_LT(result.gap, 1e-2) << seed;
  }
}

TEST(BoxQp, HugeBoxesInFloatDoNotHang) {
  for (const Shrinking shrinking : {Shrinking::off, Shrinking::on}) {
    SvmProblem problem = svm_problem(250, 2, 21);
    problem.kernel = testing::gaussian_kernel(problem.x, 0.5);
    BoxQp qp = alternating_qp(250, 1e7);
    const auto result = solve_box_qp(stored_gram<float>(problem.kernel), qp,
                                     {.tolerance = 1e-3, .max_steps = 300'000, .shrinking = shrinking}, {});
    EXPECT_LT(result.rounds, 20'000);
    EXPECT_TRUE(std::isfinite(result.gap));
    EXPECT_TRUE(std::isfinite(result.objective));
  }
}

TEST(BoxQp, StopsSoonOnRequest) {
  // Equal points with opposite signs and no bounds: without the request this runs to its limit of steps, for hours. The
  // request comes with the first report, before the first step.
  BoxQp qp = alternating_qp(600, unbounded);
  const DenseGram<double> gram = stored_gram(Dense(600, 600, 1.0));
  std::stop_source source;
  int events = 0;
  const mercer::Run run{{.progress =
                             [&](const ProgressEvent&) {
                               ++events;
                               source.request_stop();
                             },
                         .progress_interval = {},
                         .stop = source.get_token()}};
  EXPECT_ERROR(solve_box_qp(gram, qp, {.tolerance = 1e-3, .max_steps = 4'000'000'000}, run), Stopped,
               "stopped on request");
  EXPECT_EQ(events, 1);
}

TEST(BoxQp, AProblemThatCannotMoveIsSolved) {
  BoxQp qp;
  qp.linear = {1, -2, 3};
  qp.lower = qp.upper = qp.start = {0.5, -0.5, 0};
  const Dense kernel = Dense::identity(3);
  const auto result = solve_box_qp(stored_gram(kernel), qp, {}, {});
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_EQ(result.coefficients, qp.start);
  EXPECT_EQ(result.steps, 0);
  EXPECT_NEAR(result.objective, 0.25 + 1.5, 1e-15);
}

TEST(BoxQp, RefusesWhatDoesNotFit) {
  const DenseGram<double> gram = stored_gram(Dense::identity(4));
  const BoxQp good = alternating_qp(4, 1);
  const auto refused = [&](auto change, const char* words) {
    BoxQp qp = good;
    change(qp);
    EXPECT_ERROR(solve_box_qp(gram, qp, {}, {}), InvalidArgument, words);
  };
  refused([](BoxQp& qp) { qp.linear.pop_back(); }, "a quadratic programme with neither one nor two variables per row");
  refused([](BoxQp& qp) { qp.upper.pop_back(); }, "a quadratic programme with vectors of different lengths");
  refused([](BoxQp& qp) { qp.start[0] = 2; }, "a quadratic programme with a start outside its box");
  refused([](BoxQp& qp) { qp.start[0] = std::nan(""); }, "a quadratic programme with a number that is not finite");
  refused([](BoxQp& qp) { qp.lower[0] = std::nan(""); },
          "a quadratic programme with an upper bound below the lower one");
  refused([](BoxQp& qp) { qp.upper[1] = std::nan(""); },
          "a quadratic programme with an upper bound below the lower one");
  refused([](BoxQp& qp) { qp.linear[2] = unbounded; }, "a quadratic programme with a number that is not finite");
  refused([](BoxQp& qp) { qp.ridge = {1, 1}; }, "a quadratic programme with a ridge of another length");
  refused([](BoxQp& qp) { qp.group = {0, 1, 2, 0}; }, "a quadratic programme with more than two groups");
  EXPECT_ERROR(solve_box_qp(gram, good, {.tolerance = 0}, {}), InvalidArgument,
               "a quadratic programme with a tolerance or memory that is not positive");
  EXPECT_ERROR(solve_box_qp(gram, good, {.memory_mb = 0}, {}), InvalidArgument,
               "a quadratic programme with a tolerance or memory that is not positive");
  EXPECT_ERROR(solve_box_qp(stored_gram(Dense(0, 0)), BoxQp{}, {}, {}), InvalidArgument,
               "a quadratic programme with no rows");
}

}  // namespace
}  // namespace mercer
