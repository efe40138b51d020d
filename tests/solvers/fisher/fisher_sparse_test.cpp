#include "mercer/solvers/fisher/fisher_sparse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "mercer/base/error.h"
#include "solvers/fisher_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::gaussian_gram;
using testing::random_classes;
using testing::scatters;

FisherSparse solve(const Dense& k, const ClassRows& rows, const FisherSparseOptions& options) {
  Matrix<double> copy = k.matrix();
  return fisher_sparse(copy.view(), rows, options, mercer::Run());
}

Dense whole(const FisherSparse& solved, Index n) {
  Dense alpha(n, 1);
  for (std::size_t a = 0; a < solved.rows.size(); ++a) {
    alpha(solved.rows[a]) = solved.coefficients[a];
  }
  return alpha;
}

// Optimality of min α'Nα + C‖α‖₁ with α'd = 2: 2Nα + C sign(α) = νd where α is not 0, within C where it is.
double optimality_error(const Dense& k, const ClassRows& rows, const FisherSparse& solved) {
  const auto s = scatters(k, rows);
  const Dense contrast = s.class_means[1] - s.class_means[0];
  const Dense alpha = whole(solved, k.rows());
  const Dense gradient = 2.0 * (s.within * alpha);
  // ν from α' times the condition.
  const double multiplier = (alpha.dot(gradient) + solved.c * alpha.sum_abs()) / 2;
  double worst = std::abs(alpha.dot(contrast) - 2);
  for (Index i = 0; i < k.rows(); ++i) {
    const double rest = multiplier * contrast(i) - gradient(i);
    worst = std::max(worst, alpha(i) != 0 ? std::abs(rest - std::copysign(solved.c, alpha(i))) / solved.c
                                          : (std::abs(rest) - solved.c) / solved.c);
  }
  return worst;
}

TEST(FisherSparse, SolutionsAreOptimal) {
  for (const bool weighted : {false, true}) {
    for (const double gamma : {0.3, 3.0}) {
      const auto [x, rows] = random_classes(45, 2, 2, weighted, 31);
      const Dense k = gaussian_gram(x, gamma);
      std::size_t functions = 1000;
      for (const double c : {0.01, 0.1, 1.0, 10.0, 1e3}) {
        const FisherSparse solved = solve(k, rows, {.c = c});
        EXPECT_EQ(solved.status, SolveStatus::converged);
        EXPECT_NEAR(solved.c, c, 1e-9 * c);
        EXPECT_LT(optimality_error(k, rows, solved), 1e-6) << gamma << " " << c;
        EXPECT_LT(solved.violation, 1e-6);
        EXPECT_LE(solved.rows.size(), functions) << "nonzeros fall as C grows";
        functions = solved.rows.size();
      }
    }
  }
}

TEST(FisherSparse, ValuesOffsetAndObjectiveAgree) {
  const auto [x, rows] = random_classes(40, 2, 2, true, 32);
  const Dense k = gaussian_gram(x, 1.0);
  const FisherSparse solved = solve(k, rows, {.c = 0.5});
  const Dense alpha = whole(solved, 40);
  const Dense values = (k * alpha).shifted(solved.offset);
  double objective = solved.c * alpha.sum_abs();
  double sums[2] = {0, 0};
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(solved.values(i, 0), values(i), 1e-9);
    const double error = values(i) - (rows.class_of(i) == 1 ? 1 : -1);
    sums[rows.class_of(i)] += rows.weight(i) * error;
    objective += rows.weight(i) * error * error;
  }
  EXPECT_NEAR(sums[0], 0, 1e-9);
  EXPECT_NEAR(sums[1], 0, 1e-9);
  EXPECT_NEAR(solved.objective, objective, 1e-9 * objective);
}

// As C grows only the function that differs most between the class means is left.
TEST(FisherSparse, OneFunctionForLargeC) {
  const auto [x, rows] = random_classes(30, 2, 2, false, 33);
  const Dense k = gaussian_gram(x, 0.5);
  const FisherSparse solved = solve(k, rows, {.c = 1e6});
  const auto means = scatters(k, rows).class_means;
  const Dense contrast = means[1] - means[0];
  ASSERT_EQ(solved.rows.size(), 1U);
  EXPECT_EQ(std::abs(contrast(solved.rows[0])), contrast.max_abs());
  EXPECT_NEAR(solved.coefficients[0], 2 / contrast(solved.rows[0]), 1e-9);
}

TEST(FisherSparse, SmallCIsUnpenalized) {
  const auto [x, rows] = random_classes(50, 3, 2, false, 34);
  const Dense k = x * x.transpose();  // rank 3: α is not unique, the values are
  const FisherSparse solved = solve(k, rows, {.c = 1e-9});
  const auto linear = testing::closed_form(x, Dense(3, 3), rows, 0.0);
  const Dense values = (x * linear.alpha).shifted(linear.offset);
  EXPECT_LT((Dense(solved.values) - values).max_abs(), 1e-6);
  EXPECT_LE(solved.rows.size(), 4U);
}

TEST(FisherSparse, CrossValidationChoosesASmallSet) {
  const auto [x, rows] = random_classes(120, 2, 2, false, 36);
  const Dense k = gaussian_gram(x, 0.2);
  const FisherSparse chosen = solve(k, rows, {});
  EXPECT_EQ(chosen.status, SolveStatus::converged);
  EXPECT_GT(chosen.rows.size(), 1U);
  EXPECT_LT(chosen.rows.size(), 40U);
  EXPECT_LT(optimality_error(k, rows, chosen), 1e-6);
  const FisherSparse few = solve(k, rows, {.size = 2});
  EXPECT_LE(few.rows.size(), 2U);
  EXPECT_EQ(few.status, SolveStatus::converged);
  EXPECT_EQ(solve(k, rows, {.c = 1e-3, .size = 2}).status, SolveStatus::iteration_limit);
}

TEST(FisherSparse, RepeatedRowsAndFailures) {
  const auto [x, rows] = random_classes(15, 2, 2, false, 37);
  std::vector<Index> twice;
  std::vector<std::int32_t> classes;
  for (Index i = 0; i < 30; ++i) {
    twice.push_back(i / 2);
    classes.push_back(static_cast<std::int32_t>(rows.class_of(i / 2)));
  }
  const Dense k = gaussian_gram(x, 1.0).picked(twice, twice);
  const ClassRows of(classes, std::vector<double>(30, 1.0));
  const FisherSparse solved = solve(k, of, {.c = 0.05});
  EXPECT_LT(optimality_error(k, of, solved), 1e-6);
  EXPECT_ERROR(solve(Dense(30, 30, 1.0), of, {.c = 1.0}), NumericalError,
               "the classes have the same mean in the space of the kernel");
  EXPECT_ERROR(solve(k, of, {.c = -1.0}), InvalidArgument, "c = -1");
  EXPECT_ERROR(solve(k, of, {.size = -1}), InvalidArgument, "size = -1");
  EXPECT_ERROR(solve(k, rows, {}), InvalidArgument, "a matrix of 30 by 30 for 15 classified rows");
  const auto [y, three] = random_classes(30, 3, 3, false, 38);
  EXPECT_ERROR(solve(k, three, {}), InvalidArgument, "a sparse discriminant of 3 classes");
}

}  // namespace
}  // namespace mercer
