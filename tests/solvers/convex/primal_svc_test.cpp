// C-SVC in its coefficients: the optimum and the function are those of the dual.
#include "mercer/solvers/convex/primal_svc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "solvers/svm_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::stored_gram;
using testing::svm_problem;
using testing::SvmProblem;

TEST(PrimalSvc, HasTheOptimumAndTheFunctionOfTheDual) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const SvmProblem problem = svm_problem(40, 2, seed);  // rows repeat: the kernel matrix is singular
    const DenseGram<double> gram = stored_gram<double>(problem.kernel);
    RandomStream random(seed, 41);
    for (const double cost : {0.1, 1.0, 20.0}) {
      std::vector<double> bounds;
      for (Index i = 0; i < 40; ++i) {
        bounds.push_back(i % 7 == 3 ? 0.0 : cost * (0.5 + random.uniform()));
      }
      const SvmDual ours = solve_primal_svc(gram, problem.signs, bounds, 1e-9, mercer::Run());
      const SvmDual dual = solve_c_svc(gram, problem.signs, bounds, {.tolerance = 1e-9}, mercer::Run());
      EXPECT_EQ(ours.status, SolveStatus::converged);
      EXPECT_NEAR(ours.objective, dual.objective, 1e-7 * (1 + std::abs(dual.objective)));
      double squared = 0;
      double loss = 0;
      for (Index i = 0; i < 40; ++i) {
        EXPECT_NEAR(ours.values[i], dual.values[i], 1e-4);
        EXPECT_GE(problem.signs[i] * ours.coefficients[i], 0);
        EXPECT_TRUE(bounds[i] > 0 || ours.coefficients[i] == 0);
        squared += ours.coefficients[i] * ours.values[i];
        loss += bounds[i] * std::max(0.0, 1 - problem.signs[i] * (ours.values[i] + ours.offset));
      }
      EXPECT_NEAR(squared / 2 + loss, -dual.objective, 1e-6 * (1 + std::abs(dual.objective)));
    }
  }
}

TEST(PrimalSvc, RefusesWhatMeansNothing) {
  const SvmProblem problem = svm_problem(6, 2, 1);
  const DenseGram<double> gram = stored_gram<double>(problem.kernel);
  const auto solve = [&](const std::vector<double>& signs, const std::vector<double>& bounds) {
    return solve_primal_svc(gram, signs, bounds, 1e-8, mercer::Run());
  };
  const std::vector<double> ones(6, 1.0);
  EXPECT_ERROR(solve(ones, ones), InvalidArgument, "needs samples of two classes");
  EXPECT_ERROR(solve(problem.signs, {1, 1}), InvalidArgument, "6 signs and 2 bounds for 6 samples");
  EXPECT_ERROR(solve(problem.signs, std::vector<double>(6, std::numeric_limits<double>::infinity())), InvalidArgument,
               "bound of a coefficient = inf");
}

}  // namespace
}  // namespace mercer
