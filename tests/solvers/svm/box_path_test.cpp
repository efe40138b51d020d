// The path solver against the general solver, and its Newton steps against what defines them.
#include "mercer/solvers/svm/box_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/solvers/svm/face_newton.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {
namespace {

const mercer::Run run{{.threads = 1}};

struct Problem {
  Index n = 0;
  Index stride = 0;
  std::vector<double> kernel;  // n × stride
  std::vector<double> signs;
  std::vector<double> weights;

  StoredKernel<double> stored(double shift) const { return {{kernel.data(), n, n, stride}, shift}; }
};

// exp(−γ‖x−x'‖²) − shift of points in the plane, labels at random where `noise` says so.
Problem gaussian(Index n, double gamma, double noise, double shift, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<double> x;
  Problem problem;
  problem.n = n;
  problem.stride = (n + 8) / 8 * 8;
  for (Index i = 0; i < n; ++i) {
    x.push_back(random.normal());
    x.push_back(random.normal());
    const double side = x[2 * i] * x.back() > 0 ? 1.0 : -1.0;
    problem.signs.push_back(random.uniform() < noise ? -side : side);
    problem.weights.push_back(0.5 + random.uniform());
  }
  problem.kernel.assign(n * problem.stride, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const auto a = static_cast<std::size_t>(2 * i);
      const auto b = static_cast<std::size_t>(2 * j);
      const double d2 = (x[a] - x[b]) * (x[a] - x[b]) + (x[a + 1] - x[b + 1]) * (x[a + 1] - x[b + 1]);
      problem.kernel[i * problem.stride + j] = std::exp(-gamma * d2) - shift;
    }
  }
  return problem;
}

MachineBox program(const Problem& problem) {
  MachineBox result;
  for (std::size_t i = 0; i < problem.signs.size(); ++i) {
    result.linear.push_back(-problem.signs[i]);
    result.lower.push_back(problem.signs[i] > 0 ? 0.0 : -problem.weights[i]);
    result.upper.push_back(problem.signs[i] > 0 ? problem.weights[i] : 0.0);
  }
  return result;
}

TEST(BoxPath, SolvesWhatTheGeneralSolverSolves) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const double gamma : {0.01, 0.5, 10.0}) {
      const Index n = 60 + 90 * static_cast<Index>(seed);
      const Problem problem = gaussian(n, gamma, 0.15, 1.0, seed);
      Matrix<double> k(n, n);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
          k(i, j) = problem.kernel[i * problem.stride + j] + 1;
        }
      }
      const DenseGram<double> gram(std::move(k));
      BoxPath<double> path(problem.stored(1.0), program(problem), 1e-7, 0);
      for (const double c : {0.01, 0.2, 4.0, 500.0}) {
        path.advance(c, run);
        std::vector<double> bounds = problem.weights;
        for (double& bound : bounds) {
          bound *= c;
        }
        const SvmDual dual = solve_c_svc<double>(gram, problem.signs, bounds, {.tolerance = 1e-7}, run);
        EXPECT_EQ(path.status(), SolveStatus::converged);
        EXPECT_LE(path.gap(), 1e-7);
        double objective = 0;
        double sum = 0;
        double weight_sum = 0;
        for (Index i = 0; i < n; ++i) {
          const auto at = static_cast<std::size_t>(i);
          const double beta = path.coefficient(i);
          sum += beta;
          objective += beta * (0.5 * path.values()[at] - problem.signs[at]);
          EXPECT_GE(beta * problem.signs[at], 0.0);
          EXPECT_LE(beta * problem.signs[at], c * problem.weights[at]);
          weight_sum += c * problem.weights[at];
          EXPECT_NEAR(path.values()[at] - path.values()[0], dual.values[at] - dual.values[0],
                      8 * std::sqrt(2 * 1e-7 * c * 1.5 * static_cast<double>(n)));
        }
        EXPECT_NEAR(sum, 0.0, 1e-9 * c * static_cast<double>(n));
        // The objective is at most gap · Σ bounds above the least, and ‖Δw‖² at most twice that.
        EXPECT_NEAR(objective, dual.objective, 1e-7 * weight_sum + 1e-12);
      }
    }
  }
}

TEST(BoxPath, ValuesAreThoseOfTheCoefficients) {
  const Problem problem = gaussian(120, 0.3, 0.2, 1.0, 4);
  MachineBox qp = program(problem);
  for (std::size_t i = 0; i < 120; i += 3) {  // rows that take no part
    qp.lower[i] = 0;
    qp.upper[i] = 0;
  }
  BoxPath<double> path(problem.stored(1.0), qp, 1e-5, 0);
  for (const double c : {0.1, 10.0, 10000.0}) {
    path.advance(c, run);
    for (Index i = 0; i < 120; ++i) {
      double value = 0;
      for (Index j = 0; j < 120; ++j) {
        value += problem.kernel[i * problem.stride + j] * path.coefficient(j);
      }
      EXPECT_NEAR(path.values()[i], value, 1e-9 * (1 + c));
      if (i % 3 == 0) {
        EXPECT_EQ(path.coefficient(i), 0.0);
      }
    }
  }
}

TEST(BoxPath, NothingMovesWhereOnlyOneSideCan) {
  Problem problem = gaussian(20, 1, 0, 1.0, 5);
  std::fill(problem.signs.begin(), problem.signs.end(), 1.0);
  BoxPath<double> path(problem.stored(1.0), program(problem), 1e-5, 0);
  path.advance(1, run);
  EXPECT_EQ(path.support(), 0);
  EXPECT_EQ(path.status(), SolveStatus::converged);
}

TEST(BoxPath, EqualRowsAndAStepLimit) {
  Problem problem = gaussian(60, 0.5, 0.4, 1.0, 6);
  for (Index i = 0; i < 60; ++i) {  // every row twice: the matrix is singular
    for (Index j = 0; j < 60; ++j) {
      problem.kernel[i * problem.stride + j] = problem.kernel[i / 2 * 2 * problem.stride + j / 2 * 2];
    }
  }
  BoxPath<double> path(problem.stored(1.0), program(problem), 1e-6, 0);
  path.advance(100, run);
  EXPECT_EQ(path.status(), SolveStatus::converged);
  EXPECT_LE(path.gap(), 1e-6);
  BoxPath<double> limited(problem.stored(1.0), program(problem), 1e-6, 3);
  limited.advance(100, run);
  EXPECT_EQ(limited.status(), SolveStatus::iteration_limit);
  EXPECT_GT(limited.gap(), 1e-6);
}

// Gradient on the face after the moves, over all variables of `free`.
std::vector<double> gradient_after(const Problem& problem, const std::vector<Index>& free,
                                   const std::vector<FaceVariable>& variables, const std::vector<FaceMove>& moves) {
  std::vector<double> gradient;
  for (std::size_t a = 0; a < free.size(); ++a) {
    double value = variables[a].gradient;
    for (std::size_t b = 0; b < free.size(); ++b) {
      const double change = moves[b].end == FaceEnd::upper   ? variables[b].above
                            : moves[b].end == FaceEnd::lower ? -variables[b].below
                                                             : moves[b].change;
      value += change * problem.kernel[free[a] * problem.stride + free[b]];
    }
    gradient.push_back(value);
  }
  return gradient;
}

TEST(FaceNewton, EndsAtTheMinimumOfTheFaceThatIsLeft) {
  for (const double room : {1e9, 2.0, 0.3}) {
    const Problem problem = gaussian(80, 2.0, 0, 1.0, 7);
    RandomStream random(8, 8);
    std::vector<Index> free;
    std::vector<FaceVariable> variables;
    for (Index i = 0; i < 80; i += 2) {
      free.push_back(i);
      variables.push_back({room * random.uniform(), room * random.uniform(), random.normal() * 0.1});
    }
    const std::vector<FaceMove> moves = newton_moves<double>(problem.stored(0).values, free, 1.0, variables, run);
    ASSERT_EQ(moves.size(), free.size());
    double sum = 0;
    double decrease = 0;
    Index left = 0;
    const std::vector<double> gradient = gradient_after(problem, free, variables, moves);
    double least = 1e300;
    double most = -1e300;
    for (std::size_t a = 0; a < free.size(); ++a) {
      EXPECT_GE(moves[a].change, -variables[a].below * (1 + 1e-12));
      EXPECT_LE(moves[a].change, variables[a].above * (1 + 1e-12));
      sum += moves[a].change;
      decrease += moves[a].change * (variables[a].gradient + gradient[a]) / 2;
      if (moves[a].end == FaceEnd::inside) {
        ++left;
        least = std::min(least, gradient[a]);
        most = std::max(most, gradient[a]);
      }
    }
    EXPECT_NEAR(sum, 0.0, 1e-8);
    EXPECT_LT(decrease, 0.0);
    if (room > 1e6) {
      EXPECT_EQ(left, 40);
    }
    if (left > 40 / 2) {  // it ended by itself
      EXPECT_LT(most - least, 1e-6);
    }
  }
}

}  // namespace
}  // namespace mercer
