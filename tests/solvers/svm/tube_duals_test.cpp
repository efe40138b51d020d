// Hard ν-SVR and one-sided regression against the interior point on their duals, and by the conditions of optimality.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/svm/regression_dual.h"
#include "mercer/solvers/svm/svm_dual.h"
#include "solvers/svm_oracle.h"

namespace mercer {
namespace {

using testing::constant;
using testing::SvmProblem;
using testing::unbounded;

constexpr BoxQpOptions exact_tube{.tolerance = 1e-9};

double optimum_of(ConvexProgram program, Matrix<double> quadratic) {
  program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
  const ConvexSolution solution = solve_convex_program(program, {.tolerance = 1e-10}, {});
  EXPECT_EQ(solution.status, ProgramStatus::converged) << solution.message;
  return solution.primal;
}

// min ½βᵀKβ − yᵀβ with 1ᵀa⁺ = 1ᵀa⁻ = price/2 and nothing else.
double hard_nu_optimum(const SvmProblem& p, double price) {
  const Index n = p.size();
  Matrix<double> quadratic(2 * n, 2 * n);
  Matrix<double> sums = Matrix<double>::filled(2, 2 * n, 0.0);
  ConvexProgram program{.equality_values = {price / 2, price / 2}};
  for (Index s = 0; s < 2 * n; ++s) {
    const double sign = s < n ? 1.0 : -1.0;
    for (Index t = 0; t < 2 * n; ++t) {
      quadratic(s, t) = sign * (t < n ? 1.0 : -1.0) * p.kernel(s % n, t % n);
    }
    sums(s < n ? 0 : 1, s) = 1;
    program.linear.push_back(-sign * p.targets[s % n]);
    program.lower.push_back(0.0);
  }
  program.equality = sums.view();
  return optimum_of(program, std::move(quadratic));
}

double one_sided_optimum(const SvmProblem& p, double price, const std::vector<double>& bounds) {
  const Index n = p.size();
  const Matrix<double> sums = Matrix<double>::filled(1, n, 1.0);
  ConvexProgram program{.equality = sums.view(), .equality_values = {price}, .upper = bounds};
  for (Index i = 0; i < n; ++i) {
    program.linear.push_back(-p.targets[i]);
    program.lower.push_back(0.0);
  }
  return optimum_of(program, testing::to_matrix<double>(p.kernel));
}

TEST(TubeDuals, HardNuSvr) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const SvmProblem p = testing::svm_problem(testing::random_size(seed, 2, 25), 2, seed);
    const double price = std::pow(10.0, static_cast<double>(seed % 4) - 1);
    const SvmDual dual =
        solve_hard_nu_svr(testing::stored_gram(p.kernel), p.targets, price, constant(p.size(), 1), exact_tube, {});
    EXPECT_EQ(dual.status, SolveStatus::converged) << seed;
    EXPECT_NEAR(dual.objective, hard_nu_optimum(p, price), 1e-6 * (1 + std::abs(dual.objective))) << seed;
    double norm = 0;
    for (Index i = 0; i < p.size(); ++i) {
      norm += dual.coefficients[i] * dual.values[i];
      EXPECT_LE(std::abs(p.targets[i] - dual.values[i] - dual.offset), dual.margin + 1e-6) << seed;
    }
    EXPECT_NEAR(norm / 2 + price * dual.margin, -dual.objective, 1e-6 * (1 + std::abs(dual.objective))) << seed;
  }
}

TEST(TubeDuals, OneSided) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const SvmProblem p = testing::svm_problem(testing::random_size(seed, 2, 25), 2, seed);
    const double nu = 0.1 + 0.2 * static_cast<double>(seed % 5);
    for (const bool is_hard : {false, true}) {
      const std::vector<double> bounds = constant(p.size(), is_hard ? unbounded : 0.5);
      const double price = nu * 0.5 * static_cast<double>(p.size());
      const SvmDual dual = solve_one_sided(testing::stored_gram(p.kernel), p.targets, price, bounds,
                                           constant(p.size(), 1), exact_tube, {});
      EXPECT_EQ(dual.status, SolveStatus::converged) << seed;
      EXPECT_NEAR(dual.objective, one_sided_optimum(p, price, bounds), 1e-6 * (1 + std::abs(dual.objective))) << seed;
      EXPECT_NEAR(testing::sum_of(dual.coefficients), price, 1e-9 * price);
      double primal = price * dual.offset;
      for (Index i = 0; i < p.size(); ++i) {
        primal += dual.coefficients[i] * dual.values[i] / 2;
        const double below = std::max(0.0, p.targets[i] - dual.values[i] - dual.offset);
        if (is_hard) {
          EXPECT_LE(below, 1e-6) << seed;
        } else {
          primal += 0.5 * below;
        }
      }
      EXPECT_NEAR(primal, -dual.objective, 1e-6 * (1 + std::abs(primal))) << seed;
    }
  }
}

}  // namespace
}  // namespace mercer
