#include "mercer/solvers/falkon/falkon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "solvers/falkon_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::exact_nystrom;
using testing::kernel_values;

struct Problem {
  Samples x;
  Samples landmarks;
  std::vector<Index> landmark_rows;
  Matrix<double> y;
  std::vector<double> weights;
};

Problem random_problem(Index n, Index d, Index m, Index outputs, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix<double> x(n, d);
  fill_normal(random, {x.data(), static_cast<std::size_t>(n * d)});
  Problem problem;
  problem.y = Matrix<double>(n, outputs);
  for (Index i = 0; i < n; ++i) {
    problem.weights.push_back(0.25 + random.uniform());
    for (Index o = 0; o < outputs; ++o) {
      problem.y(i, o) = 3 + std::sin(2 * x(i, 0) + static_cast<double>(o)) + 0.1 * random.normal();
    }
  }
  problem.x = make_dense(std::move(x));
  RandomStream draw(seed, 1);
  problem.landmark_rows = sample_without_replacement(draw, n, m);
  problem.landmarks = problem.x.select(problem.landmark_rows);
  return problem;
}

struct Fitted {
  FalkonSolution solution;
  double shift = 0;
};

struct Setting {
  FalkonOptions options = {};
  FalkonOffset offset = FalkonOffset::constant;
  double storage = 0;
  FalkonSample::Kind kind = FalkonSample::Kind::landmarks;
  int threads = 2;
};

Fitted fitted(const Problem& p, const Kernel& kernel, const Setting& setting) {
  const mercer::Run run{{.threads = setting.threads}};
  const FalkonRows rows(kernel, p.x, p.landmarks, setting.offset, setting.storage, run);
  FalkonFactor factor(rows, run);
  FalkonSample sample{setting.kind, p.landmark_rows};
  if (setting.kind == FalkonSample::Kind::rows) {
    sample.rows = sketch_sample(p.x.size(), p.landmarks.size(), run);
  }
  return {solve_falkon(rows, factor, sample, p.y.view(), p.weights, setting.options, run), factor.shift()};
}

std::vector<double> predictions(const Matrix<double>& k, const FalkonSolution& solution, Index o) {
  std::vector<double> f;
  for (Index i = 0; i < k.rows(); ++i) {
    double sum = solution.offsets[o];
    for (Index j = 0; j < k.columns(); ++j) {
      sum += k(i, j) * solution.coefficients(j, o);
    }
    f.push_back(sum);
  }
  return f;
}

std::vector<double> column(const Matrix<double>& a, Index o) {
  std::vector<double> values;
  for (Index i = 0; i < a.rows(); ++i) {
    values.push_back(a(i, o));
  }
  return values;
}

double relative_difference(std::span<const double> a, std::span<const double> b) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

// The same equations, solved without squaring anything and in long double: several kernels and penalties, stored and
// recomputed rows, both samples of the preconditioner.
TEST(Falkon, EqualsTheExactSolutionOfTheNormalEquations) {
  const char* const kernels[] = {"rbf(gamma=0.3)", "matern(nu=1.5, lengthscale=2)", "poly(degree=2, gamma=0.2)",
                                 "rbf(gamma=0.001)"};
  int number = 0;
  for (const char* spec : kernels) {
    const Kernel kernel = parse_kernel(spec);
    for (const double lambda : {1e-8, 1e-4, 1.0, 100.0}) {
      const Problem p = random_problem(180 + 7 * number, 3, 35, 2, static_cast<std::uint64_t>(number));
      Setting setting;
      setting.options.lambda = lambda;
      setting.options.tolerance = 1e-9;
      setting.options.max_iterations = 2000;
      setting.offset = number % 3 == 0 ? FalkonOffset::none : FalkonOffset::constant;
      setting.storage = number % 2 == 0 ? 1e9 : 0;
      setting.kind = number % 5 == 0 ? FalkonSample::Kind::rows : FalkonSample::Kind::landmarks;
      const Fitted result = fitted(p, kernel, setting);
      // Where K_MM is singular and the penalty small, not even double precision has nine digits.
      EXPECT_TRUE(result.solution.status == SolveStatus::converged || lambda < 1e-3)
          << spec << " " << lambda << " residual " << result.solution.residual;
      const Matrix<double> k = kernel_values(kernel, p.x, p.landmarks);
      const Matrix<double> gram = kernel_values(kernel, p.landmarks, p.landmarks);
      for (Index o = 0; o < 2; ++o) {
        const std::vector<double> expected = exact_nystrom(k, gram, result.shift, column(p.y, o), p.weights, lambda,
                                                           setting.offset == FalkonOffset::constant);
        EXPECT_LT(relative_difference(predictions(k, result.solution, o), expected), 1e-6)
            << spec << " lambda " << lambda << " offset " << static_cast<int>(setting.offset) << " residual "
            << result.solution.residual << " iterations " << result.solution.iterations << " of these double "
            << result.solution.double_iterations;
      }
      ++number;
    }
  }
}

TEST(Falkon, ThreadsAndStorageDoNotChangeTheResult) {
  const Problem p = random_problem(8500, 4, 80, 1, 5);
  Setting setting;
  setting.options.tolerance = 1e-6;
  setting.threads = 1;
  const Fitted one = fitted(p, parse_kernel("rbf(gamma=0.2)"), setting);
  setting.threads = 3;
  const Fitted three = fitted(p, parse_kernel("rbf(gamma=0.2)"), setting);
  for (Index j = 0; j < 80; ++j) {
    EXPECT_EQ(one.solution.coefficients(j, 0), three.solution.coefficients(j, 0));
  }
  EXPECT_EQ(one.solution.history, three.solution.history);
  EXPECT_EQ(one.solution.double_iterations, 0);
  EXPECT_LT(one.solution.iterations, 150);
  EXPECT_NEAR(one.solution.history.front(), 1, 1e-12);
  EXPECT_LT(one.solution.history.back(), 1e-6);
  EXPECT_EQ(one.solution.checked.back(), one.solution.residual);
  // A sample of other rows is a better preconditioner than the landmarks themselves.
  setting.kind = FalkonSample::Kind::rows;
  EXPECT_LT(fitted(p, parse_kernel("rbf(gamma=0.2)"), setting).solution.iterations, one.solution.iterations);
  setting.kind = FalkonSample::Kind::landmarks;
  setting.storage = 1e9;
  const Fitted stored = fitted(p, parse_kernel("rbf(gamma=0.2)"), setting);
  const Matrix<double> k = kernel_values(parse_kernel("rbf(gamma=0.2)"), p.x, p.landmarks);
  EXPECT_LT(relative_difference(predictions(k, stored.solution, 0), predictions(k, one.solution, 0)), 1e-6);
}

TEST(Falkon, RefusesWhatMakesNoSense) {
  const Problem p = random_problem(20, 2, 5, 1, 5);
  const Kernel kernel = parse_kernel("rbf(gamma=0.2)");
  for (const FalkonOptions& options :
       {FalkonOptions{.lambda = 0}, FalkonOptions{.lambda = -1}, FalkonOptions{.lambda = NAN},
        FalkonOptions{.tolerance = 0}, FalkonOptions{.max_iterations = 0}}) {
    EXPECT_ERROR(fitted(p, kernel, {.options = options}), InvalidArgument, ": must be ");
  }
}

TEST(Falkon, LandmarksAreDistinctRows) {
  const Problem p = random_problem(500, 2, 5, 1, 5);
  const auto is_subset = [](std::vector<Index> list, Index rows) {
    std::sort(list.begin(), list.end());
    return std::adjacent_find(list.begin(), list.end()) == list.end() && list.front() >= 0 && list.back() < rows;
  };
  EXPECT_TRUE(is_subset(uniform_landmarks(500, 100, {}), 500));
  EXPECT_EQ(uniform_landmarks(50, 100, {}).size(), 50U);
  const std::vector<Index> pivots = pivoted_landmarks(parse_kernel("rbf(gamma=2)"), p.x, 60, 1e6, {});
  EXPECT_TRUE(is_subset(pivots, 500));
  EXPECT_EQ(pivots.size(), 60U);
  // Little memory: from twice as many rows; a kernel of rank 3: three.
  EXPECT_TRUE(is_subset(pivoted_landmarks(parse_kernel("rbf(gamma=2)"), p.x, 60, 1, {}), 500));
  EXPECT_EQ(pivoted_landmarks(parse_kernel("linear() + constant()"), p.x, 60, 1e6, {}).size(), 3U);
}

}  // namespace
}  // namespace mercer
