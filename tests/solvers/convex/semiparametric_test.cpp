// Semiparametric machines against the primal programme, with a slack variable per row and a coefficient per function: other
// variables, other constraints, and nothing of a dual. And against the machines of box_qp where the constant is all.
#include "mercer/solvers/convex/semiparametric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/svm/regression_dual.h"
#include "mercer/solvers/svm/svm_dual.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

const mercer::Run serial_run{{.threads = 1}};

struct SemiparametricProblem {
  Matrix<double> gram;
  Matrix<double> free;    // orthonormal columns
  Matrix<double> priced;  // any columns
  std::vector<double> labels = {};
  std::vector<double> targets = {};
  std::vector<double> bounds = {};

  Index size() const { return gram.rows(); }
  SemiparametricRows rows() const { return {gram.view(), free.view(), priced.view()}; }
};

void orthonormalize_columns(MatrixView<double> q) {
  for (Index j = 0; j < q.columns(); ++j) {
    for (int pass = 0; pass < 2; ++pass) {
      for (Index k = 0; k < j; ++k) {
        double product = 0;
        for (Index i = 0; i < q.rows(); ++i) {
          product += q(i, k) * q(i, j);
        }
        for (Index i = 0; i < q.rows(); ++i) {
          q(i, j) -= product * q(i, k);
        }
      }
    }
    double norm = 0;
    for (Index i = 0; i < q.rows(); ++i) {
      norm += q(i, j) * q(i, j);
    }
    for (Index i = 0; i < q.rows(); ++i) {
      q(i, j) /= std::sqrt(norm);
    }
  }
}

// A Gaussian kernel on points of the plane, the constant and other functions of them.
SemiparametricProblem semiparametric_problem(Index n, Index free, Index priced, std::uint64_t seed) {
  RandomStream random(seed, 5);
  std::vector<std::array<double, 2>> x(static_cast<std::size_t>(n));
  SemiparametricProblem problem{
      .gram = Matrix<double>(n, n), .free = Matrix<double>(n, free), .priced = Matrix<double>(n, priced)};
  const double cost = std::pow(10.0, 3 * random.uniform() - 1);
  for (Index i = 0; i < n; ++i) {
    x[i] = {random.uniform(), random.uniform()};
    for (Index p = 0; p < free; ++p) {
      problem.free(i, p) =
          p == 0 ? 1.0 : std::sin(static_cast<double>(p) * (x[i][0] + x[i][1]) + static_cast<double>(p));
    }
    for (Index p = 0; p < priced; ++p) {
      problem.priced(i, p) = (p + 1) * std::cos(static_cast<double>(3 * p + 1) * x[i][0]);
    }
    const double f = std::sin(5 * x[i][0]) + 2 * x[i][1] + 0.3 * (random.uniform() - 0.5);
    problem.targets.push_back(f);
    problem.labels.push_back((f > 1.3) != (random.uniform() < 0.1) ? 1.0 : -1.0);
    problem.bounds.push_back(cost * (0.5 + random.uniform()));
  }
  problem.labels[0] = 1;
  problem.labels[1] = -1;
  orthonormalize_columns(problem.free.view());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      problem.gram(i, j) =
          std::exp(-4 * (std::pow(x[i][0] - x[j][0], 2) + std::pow(x[i][1] - x[j][1], 2))) + (i == j ? 1e-6 : 0.0);
    }
  }
  return problem;
}

// Variables β, γ, δ⁺, δ⁻, ξ (of a tube ξ⁺, ξ⁻): min ½βᵀKβ + Σδ + Σ C ξ under the margins as ranges.
double primal_optimum(const SemiparametricProblem& problem, bool tube, double epsilon) {
  const Index n = problem.size();
  const Index q = problem.free.columns();
  const Index m = problem.priced.columns();
  const Index slacks = tube ? 2 * n : n;
  const Index size = n + q + 2 * m + slacks;
  Matrix<double> quadratic = Matrix<double>::filled(size, size, 0.0);
  for (Index i = 0; i < n; ++i) {
    std::copy_n(problem.gram.view().row_data(i), n, quadratic.view().row_data(i));
  }
  const DenseQuadratic term(std::move(quadratic));
  Matrix<double> range = Matrix<double>::filled(slacks, size, 0.0);
  ConvexProgram program{.quadratic = std::shared_ptr<const QuadraticTerm>(&term, [](const auto*) {}),
                        .linear = std::vector<double>(static_cast<std::size_t>(size), 0.0)};
  program.lower.assign(static_cast<std::size_t>(size), -std::numeric_limits<double>::infinity());
  for (Index j = n + q; j < size; ++j) {
    program.lower[j] = 0;
    program.linear[j] = 1;
  }
  for (Index r = 0; r < slacks; ++r) {
    const Index i = r % n;
    const double sign = tube ? (r < n ? 1.0 : -1.0) : problem.labels[i];
    for (Index j = 0; j < n; ++j) {
      range(r, j) = sign * problem.gram(i, j);
    }
    for (Index p = 0; p < q; ++p) {
      range(r, n + p) = sign * problem.free(i, p);
    }
    for (Index p = 0; p < m; ++p) {
      range(r, n + q + p) = sign * problem.priced(i, p);
      range(r, n + q + m + p) = -sign * problem.priced(i, p);
    }
    range(r, n + q + 2 * m + r) = 1;
    program.linear[n + q + 2 * m + r] = problem.bounds[i];
    // y f + ξ ≥ 1; f + ξ⁺ ≥ y − ε; −f + ξ⁻ ≥ −y − ε.
    program.range_lower.push_back(tube ? sign * problem.targets[i] - epsilon : 1.0);
  }
  program.range = range.view();
  const ConvexSolution solution = solve_convex_program(program, {.tolerance = 1e-8}, serial_run);
  EXPECT_EQ(solution.status, ProgramStatus::converged) << solution.message;
  return solution.primal;
}

SemiparametricSolution semiparametric_solution(const SemiparametricProblem& problem, bool tube, double epsilon) {
  return tube ? solve_semiparametric_svr(problem.rows(), {problem.targets, problem.bounds}, epsilon, 1e-8, serial_run)
              : solve_semiparametric_svc(problem.rows(), {problem.labels, problem.bounds}, 1e-8, serial_run);
}

// Everything that a solution promises, from its numbers alone.
void expect_semiparametric(const SemiparametricProblem& problem, const SemiparametricSolution& solution, bool tube,
                           const std::string& what) {
  const Index n = problem.size();
  EXPECT_EQ(solution.status, SolveStatus::converged) << what << solution.relative_gap;
  EXPECT_LE(solution.relative_gap, 1e-8) << what;
  double unit = 1;
  for (const double y : problem.targets) {
    unit = tube ? std::max(unit, std::abs(y)) : 1;
  }
  EXPECT_LE(solution.violation, 1e-8 * unit) << what;
  double total = 0;
  for (Index i = 0; i < n; ++i) {
    total += std::abs(solution.coefficients[i]);
    EXPECT_LE(std::abs(solution.coefficients[i]), problem.bounds[i]) << what;
    EXPECT_GE(tube ? 0.0 : problem.labels[i] * solution.coefficients[i], 0.0) << what;
    double f = 0;
    for (Index j = 0; j < n; ++j) {
      f += problem.gram(i, j) * solution.coefficients[j];
    }
    for (Index p = 0; p < problem.free.columns(); ++p) {
      f += problem.free(i, p) * solution.free[p];
    }
    for (Index p = 0; p < problem.priced.columns(); ++p) {
      f += problem.priced(i, p) * solution.priced[p];
    }
    EXPECT_NEAR(solution.values[i], f, 1e-10 * (1 + total)) << what;
  }
  for (Index p = 0; p < problem.free.columns(); ++p) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      sum += problem.free(i, p) * solution.coefficients[i];
    }
    EXPECT_NEAR(sum, 0, 1e-14 * (1 + total)) << what << " function " << p;
  }
  for (Index p = 0; p < problem.priced.columns(); ++p) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      sum += problem.priced(i, p) * solution.coefficients[i];
    }
    EXPECT_LE(std::abs(sum), 1 + 1e-8 * (1 + total)) << what << " function " << p;
    if (solution.priced[p] != 0) {
      EXPECT_NEAR(sum, std::copysign(1.0, solution.priced[p]), 1e-8 * (1 + total)) << what << " function " << p;
    }
  }
}

class Semiparametric : public ::testing::TestWithParam<int> {};

TEST_P(Semiparametric, HasTheOptimumOfThePrimal) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  for (const bool tube : {false, true}) {
    for (const Index free : {0, 1, 3}) {
      for (const Index priced : {0, 2}) {
        const SemiparametricProblem problem =
            semiparametric_problem(12 + static_cast<Index>(7 * (seed % 4)), free, priced, seed);
        const double epsilon = seed % 3 == 0 ? 0.0 : 0.1;
        const SemiparametricSolution solution = semiparametric_solution(problem, tube, epsilon);
        const std::string what =
            (tube ? "tube " : "hinge ") + std::to_string(free) + " " + std::to_string(priced) + " ";
        expect_semiparametric(problem, solution, tube, what);
        const double expected = primal_optimum(problem, tube, epsilon);
        EXPECT_NEAR(solution.primal, expected, 1e-7 * (1e-3 + std::abs(expected))) << what;
        EXPECT_NEAR(solution.dual, expected, 1e-7 * (1e-3 + std::abs(expected))) << what;
      }
    }
  }
}

TEST_P(Semiparametric, WithTheConstantAloneIsTheUsualMachine) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const SemiparametricProblem problem = semiparametric_problem(40, 1, 0, 100 + seed);
  const DenseGram<double> gram(Matrix<double>::copy_of(problem.gram.view()));
  const BoxQpOptions exact{.tolerance = 1e-10};
  for (const bool tube : {false, true}) {
    const SemiparametricSolution ours = semiparametric_solution(problem, tube, 0.1);
    const SvmDual theirs = tube ? solve_epsilon_svr(gram, problem.targets, 0.1, problem.bounds, exact, serial_run)
                                : solve_c_svc(gram, problem.labels, problem.bounds, exact, serial_run);
    double largest = 0;
    for (Index i = 0; i < problem.size(); ++i) {
      largest = std::max(largest, std::abs(theirs.values[i] + theirs.offset));
    }
    for (Index i = 0; i < problem.size(); ++i) {
      EXPECT_NEAR(ours.values[i], theirs.values[i] + theirs.offset, 1e-5 * largest) << tube << " " << i;
    }
    EXPECT_NEAR(ours.dual, -theirs.objective, 1e-8 * std::abs(theirs.objective)) << tube;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Semiparametric, ::testing::Range(0, 24));

TEST(SemiparametricDegenerate, OneRow) {
  SemiparametricProblem problem = semiparametric_problem(1, 1, 0, 3);
  problem.targets = {7};
  const SemiparametricSolution solution = semiparametric_solution(problem, true, 0.5);
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_EQ(solution.coefficients[0], 0);
  EXPECT_NEAR(solution.values[0], 7, 0.5);
}

TEST(SemiparametricDegenerate, AsManyFunctionsAsRows) {
  for (const bool tube : {false, true}) {
    const SemiparametricProblem problem = semiparametric_problem(5, 5, 0, 4);
    const SemiparametricSolution solution = semiparametric_solution(problem, tube, 0.01);
    EXPECT_EQ(solution.status, SolveStatus::converged) << tube << " " << solution.relative_gap;
    for (Index i = 0; i < 5; ++i) {
      EXPECT_EQ(solution.coefficients[i], 0) << tube;
      if (tube) {
        EXPECT_NEAR(solution.values[i], problem.targets[i], 0.01 + 1e-7);
      } else {
        EXPECT_GE(problem.labels[i] * solution.values[i], 1 - 1e-7);
        EXPECT_LE(std::abs(solution.values[i]), 1e3);
      }
    }
  }
}

TEST(SemiparametricDegenerate, RepeatedRowsAndRowsOfNoPrice) {
  for (const bool tube : {false, true}) {
    SemiparametricProblem problem = semiparametric_problem(20, 2, 1, 8);
    for (Index j = 0; j < 20; ++j) {
      problem.gram(1, j) = problem.gram(0, j);
    }
    for (Index j = 0; j < 20; ++j) {
      problem.gram(j, 1) = problem.gram(j, 0);
    }
    problem.free(1, 0) = problem.free(0, 0);
    problem.free(1, 1) = problem.free(0, 1);
    problem.priced(1, 0) = problem.priced(0, 0);
    problem.bounds[5] = 0;
    const SemiparametricSolution solution = semiparametric_solution(problem, tube, 0.1);
    EXPECT_EQ(solution.status, SolveStatus::converged) << tube;
    EXPECT_EQ(solution.coefficients[5], 0) << tube;
    EXPECT_NEAR(solution.values[0], solution.values[1], 1e-10) << tube;
  }
}

// The optimum follows the units: y and ε times s with C over s is β/... of the same problem.
TEST(SemiparametricDegenerate, HugeAndTinyTargets) {
  for (const double s : {1e-9, 1e9}) {
    SemiparametricProblem problem = semiparametric_problem(30, 3, 0, 9);
    const SemiparametricSolution plain = semiparametric_solution(problem, true, 0.1);
    for (Index i = 0; i < 30; ++i) {
      problem.targets[i] *= s;
      problem.bounds[i] *= s;
    }
    const SemiparametricSolution scaled = semiparametric_solution(problem, true, 0.1 * s);
    EXPECT_EQ(scaled.status, SolveStatus::converged) << s << " " << scaled.relative_gap;
    for (Index i = 0; i < 30; ++i) {
      EXPECT_NEAR(scaled.values[i] / s, plain.values[i], 1e-6) << s;
    }
  }
}

// A million times as large as what the kernel has to say.
TEST(SemiparametricDegenerate, ATrendThatDwarfsTheRest) {
  SemiparametricProblem problem = semiparametric_problem(40, 2, 0, 11);
  const SemiparametricSolution plain = semiparametric_solution(problem, true, 0.1);
  for (Index i = 0; i < 40; ++i) {
    problem.targets[i] += 1e6 * problem.free(i, 1);
  }
  const SemiparametricSolution moved = semiparametric_solution(problem, true, 0.1);
  EXPECT_EQ(moved.status, SolveStatus::converged);
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(moved.coefficients[i], plain.coefficients[i], 1e-6 * problem.bounds[i]);
    EXPECT_EQ(moved.coefficients[i] == 0, plain.coefficients[i] == 0);
  }
}

TEST(SemiparametricDegenerate, ShapesThatDoNotFit) {
  const SemiparametricProblem problem = semiparametric_problem(4, 1, 0, 3);
  const std::vector<double> three(3, 1.0);
  EXPECT_ERROR(solve_semiparametric_svc(problem.rows(), {problem.labels, three}, 1e-8, serial_run), InvalidArgument,
               "are not of one length, 4");
}

}  // namespace
}  // namespace mercer
