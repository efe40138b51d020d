#include "mercer/gram/low_rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "gram/gram_samples.h"
#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/stored_copy.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using namespace gram_test;

template <class T>
class LowRankTest : public ::testing::Test {
 protected:
  static constexpr Index n = 400;
  static constexpr double eps = sizeof(T) == sizeof(float) ? 1e-4 : 1e-10;
  Matrix<double> x_ = random_matrix(n, 3, 50);
  KernelGram<T> gram_{prepare<T>(test_spec, make_dense(Matrix<double>::copy_of(x_.view())))};
  Dense k_ = test_gram(x_, x_);

  // Trace errors are those of the columns so far, and the residual is positive semidefinite.
  void expect_errors_true(const LowRankGram<T>& low) const {
    const Dense f = low.factor();
    ASSERT_EQ(low.trace_errors().size(), static_cast<std::size_t>(low.rank()) + 1);
    for (Index r = 0; r <= low.rank(); ++r) {
      const double error = k_.trace() - f.first_columns(r).squared_norm();
      ASSERT_NEAR(low.trace_errors()[r], error, eps * k_.trace()) << r;
    }
    const Dense difference = k_ - f * f.transpose();
    EXPECT_GE(difference.eigenvalues()(0), -eps * k_.trace());
    // The pivots' own rows are reproduced.
    for (const Index p : low.pivots()) {
      EXPECT_LE(difference.row(p).max_abs(), eps * k_.max_abs());
    }
  }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LowRankTest, Precisions);

TYPED_TEST(LowRankTest, PivotedCholeskyKnowsItsError) {
  for (const PivotRule rule : {PivotRule::random, PivotRule::greedy}) {
    const auto low = LowRankGram<TypeParam>::pivoted(this->gram_, {.max_rank = 40, .rule = rule}, run_on(2));
    EXPECT_EQ(low.rank(), 40);
    EXPECT_EQ(std::set<Index>(low.pivots().begin(), low.pivots().end()).size(), 40U);
    this->expect_errors_true(low);
    EXPECT_LT(low.trace_errors().back(), 0.1 * low.trace_errors().front());
  }
}

TYPED_TEST(LowRankTest, StopsAtTheTolerance) {
  const auto low = LowRankGram<TypeParam>::pivoted(this->gram_, {.max_rank = 400, .tolerance = 0.02}, run_on(1));
  EXPECT_LE(low.trace_errors().back(), 0.02 * low.trace_errors().front());
  EXPECT_LT(low.rank(), 400);
}

TYPED_TEST(LowRankTest, NystromFromLandmarks) {
  const std::vector<Index> landmarks{5, 399, 0, 77, 256, 255, 120};
  const auto low = LowRankGram<TypeParam>::nystrom(this->gram_, landmarks, run_on(2));
  EXPECT_EQ(low.pivots(), landmarks);
  this->expect_errors_true(low);
  const Dense columns = this->k_.picked_rows(landmarks).transpose();
  const Dense square = this->k_.picked(landmarks, landmarks);
  const Dense expected = columns * square.solve_positive(columns.transpose());
  const Matrix<TypeParam> k = stored_copy<TypeParam>(low, run_on(1));
  EXPECT_LE((Dense(k) - expected).max_abs(), 100 * this->eps);
  EXPECT_ERROR(LowRankGram<TypeParam>::nystrom(this->gram_, std::vector<Index>{1, 1}, run_on(1)), InvalidArgument,
               "landmarks are rows of the Gram matrix");
}

// K − K̃ is what is left of the other rows' functions: 0 ≤ aᵀK̃a ≤ aᵀKa for any a, equal where a is 0 beside the landmarks.
TYPED_TEST(LowRankTest, FormsAreBelowThoseOfTheMatrix) {
  const std::vector<Index> landmarks{5, 399, 0, 77, 256, 255, 120};
  const auto given = LowRankGram<TypeParam>::nystrom(this->gram_, landmarks, run_on(2));
  const auto chosen = LowRankGram<TypeParam>::pivoted(this->gram_, {.max_rank = 40}, run_on(2));
  const Dense whole = this->k_;
  for (const auto* low : {&given, &chosen}) {
    const Dense part = stored_copy<TypeParam>(*low, run_on(1));
    const auto form = [](const Dense& k, const Dense& a) { return a.dot(k * a); };
    for (std::uint64_t seed = 60; seed < 80; ++seed) {
      const Dense a = random_matrix(400, 1, seed);
      const double rounding = 400 * this->eps * form(whole, a);
      EXPECT_GE(form(part, a), -rounding);
      EXPECT_LE(form(part, a), form(whole, a) + rounding);
      EXPECT_TRUE(low != &given || form(part, a) < 0.999 * form(whole, a));
    }
    Matrix<double> spread = Matrix<double>::filled(400, 1, 0.0);
    for (const Index pivot : low->pivots()) {
      spread(pivot, 0) = static_cast<double>(pivot % 7) - 3;
    }
    const Dense a = spread;
    EXPECT_NEAR(form(part, a), form(whole, a), 400 * this->eps * (1 + form(whole, a)));
  }
}

TYPED_TEST(LowRankTest, DependentLandmarksAreLeftOut) {
  Matrix<double> x = random_matrix(20, 2, 51);
  for (Index c = 0; c < 2; ++c) {
    x(7, c) = x(3, c);
  }
  const KernelGram<TypeParam> gram(prepare<TypeParam>("rbf(gamma=0.5)", make_dense(std::move(x))));
  const auto low = LowRankGram<TypeParam>::nystrom(gram, std::vector<Index>{3, 7, 11}, run_on(1));
  EXPECT_EQ(low.pivots(), (std::vector<Index>{3, 11}));
  for (const TypeParam value : std::span<const TypeParam>(low.factor().data(), 40)) {
    EXPECT_TRUE(std::isfinite(value));
  }
}

TYPED_TEST(LowRankTest, SolvesByWoodbury) {
  const auto low = LowRankGram<TypeParam>::pivoted(this->gram_, {.max_rank = 30}, run_on(2));
  const Dense f = low.factor();
  for (const double lambda : {0.1, 3.0}) {
    const Dense a = lambda * Dense::identity(400) + f * f.transpose();
    const Matrix<double> b = random_matrix(400, 2, 52);
    const LowRankSolver<TypeParam> solver(low.factor(), lambda, run_on(2));
    Matrix<TypeParam> x(400, 2);
    solver.solve(converted<TypeParam>(b).view(), x.view(), run_on(2));
    const Dense expected = a.solve_positive(b);
    EXPECT_LE((Dense(x) - expected).max_abs(), 100 * this->eps / lambda);
    const double log_determinant = a.log_determinant();
    EXPECT_NEAR(solver.log_determinant(), log_determinant, 1e-8 * std::abs(log_determinant) + 400 * this->eps);
  }
  EXPECT_ERROR(LowRankSolver<TypeParam>(low.factor(), 0, run_on(1)), InvalidArgument, "lambda = 0");
}

TYPED_TEST(LowRankTest, MultipliesAndFills) {
  Matrix<double> factor = random_matrix(300, 4, 53);
  const Matrix<double> expected = multiplied(factor, transposed(factor));
  const LowRankGram<TypeParam> low(converted<TypeParam>(factor));
  EXPECT_LE(largest_difference(stored_copy<TypeParam>(low, run_on(2)), expected), 10 * this->eps);
  const Matrix<double> v = random_matrix(300, 2, 54);
  Matrix<TypeParam> out(300, 2);
  low.multiply(converted<TypeParam>(v).view(), out.view(), run_on(2));
  EXPECT_LE(largest_difference(out, multiplied(expected, v)), 100 * this->eps);
  std::vector<double> diagonal(300);
  low.diagonal(diagonal);
  for (Index i = 0; i < 300; ++i) {
    EXPECT_NEAR(diagonal[i], expected(i, i), 10 * this->eps);
  }
}

}  // namespace
}  // namespace mercer
