// Q as an operator: the three kinds give the same steps as dense arithmetic by Eigen, the low-rank one the same programme
// as the dense one, rows that are read in blocks the same bits as rows in memory.
#include "mercer/solvers/convex/program/quadratic_term.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/convex/program/diagonal_quadratic.h"
#include "mercer/solvers/convex/program/low_rank_quadratic.h"
#include "mercer/solvers/convex/program/mirrored_quadratic.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;

Matrix<double> random_numbers(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed, 8);
  Matrix<double> matrix(rows, columns);
  for (Index i = 0; i < rows * columns; ++i) {
    matrix.data()[i] = random.normal();
  }
  return matrix;
}

std::vector<double> random_positive(Index count, std::uint64_t seed) {
  RandomStream random(seed, 9);
  std::vector<double> values(count);
  for (double& value : values) {
    value = 0.1 + random.uniform();
  }
  return values;
}

// M⁻¹ and S by Eigen; every kind must give the same step.
void expect_steps(const QuadraticTerm& term, const Dense& q, AddedRows added) {
  const Index n = term.size();
  const Matrix<double> rows = random_numbers(3, n, 21);
  const Matrix<double> more = random_numbers(4, n, 22);
  const std::vector<double> diagonal = random_positive(n, 23);
  const std::vector<double> weights = random_positive(4, 24);
  Dense m = q + Dense::with_diagonal(diagonal);
  FactorInput input{diagonal, {}, rows.view()};
  if (added == AddedRows::some) {
    input.added = {more.view(), weights};
    m = m + Dense(more).transpose() * Dense::with_diagonal(weights) * Dense(more);
  }
  const std::unique_ptr<QuadraticFactor> factor = term.make_factor(added);
  Matrix<double> schur(3, 3);
  ASSERT_TRUE(factor->factorize(input, schur.view(), {}));
  const Dense spread = m.solve(Dense(rows).transpose());
  const Dense expected = Dense(rows) * spread;
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j <= i; ++j) {
      EXPECT_NEAR(schur(i, j), expected(i, j), 1e-10 * expected.max_abs());
    }
  }
  const std::vector<double> right = random_positive(n, 25);
  const std::vector<double> multipliers = {1, -2, 0.5};
  std::vector<double> reduced(3);
  std::vector<double> step(n);
  factor->reduce(right, reduced, {});
  factor->finish(multipliers, step, {});
  const Dense solved = m.solve(Dense(right));
  const Dense reduced_by_eigen = Dense(rows) * solved;
  const Dense step_by_eigen = solved + spread * Dense(multipliers);
  EXPECT_LE((Dense(reduced) - reduced_by_eigen).max_abs(), 1e-10 * (1 + reduced_by_eigen.max_abs()));
  EXPECT_LE((Dense(step) - step_by_eigen).max_abs(), 1e-10 * (1 + step_by_eigen.max_abs()));
  std::vector<double> product(n);
  term.multiply(right, product, {});
  EXPECT_LE((Dense(product) - q * Dense(right)).max_abs(), 1e-11 * (1 + q.max_abs()) * static_cast<double>(n));
  std::vector<double> entries(n);
  term.diagonal(entries);
  EXPECT_LE((Dense(entries) - q.diagonal()).max_abs(), 1e-12 * (1 + q.max_abs()));
}

Matrix<double> square_of(const Matrix<double>& factor) { return (Dense(factor) * Dense(factor).transpose()).matrix(); }

TEST(QuadraticTerm, DenseSteps) {
  for (const Index n : {Index{1}, Index{7}, Index{300}}) {
    const Matrix<double> q = square_of(random_numbers(n, n + 2, 1));
    expect_steps(DenseQuadratic(q.view()), q, AddedRows::none);
    expect_steps(DenseQuadratic(q.view()), q, AddedRows::some);
  }
}

TEST(QuadraticTerm, DiagonalSteps) {
  const std::vector<double> d = {0, 1, 2, 0, 5};
  expect_steps(DiagonalQuadratic(d), Dense::with_diagonal(d), AddedRows::none);
  expect_steps(DiagonalQuadratic(d), Dense::with_diagonal(d), AddedRows::some);
  EXPECT_TRUE(DiagonalQuadratic::zero(3)->is_zero());
  EXPECT_FALSE(DiagonalQuadratic(d).is_zero());
}

TEST(QuadraticTerm, LowRankSteps) {
  for (const Index n : {Index{1}, Index{40}}) {
    const Matrix<double> r = random_numbers(n, 5, 2);
    const StoredFactorRows rows(r.view());
    const std::vector<double> diagonal = random_positive(n, 3);
    const Matrix<double> core = (Dense(square_of(random_numbers(5, 8, 4))) + Dense::identity(5)).matrix();
    expect_steps(LowRankQuadratic(rows), square_of(r), AddedRows::none);
    const Dense inverse = Dense(core).solve(Dense::identity(5));
    expect_steps(LowRankQuadratic(rows, diagonal, core.view()),
                 Dense(r) * inverse * Dense(r).transpose() + Dense::with_diagonal(diagonal), AddedRows::none);
  }
}

// [K −K; −K K], which is singular, from K of every kind.
TEST(QuadraticTerm, MirroredSteps) {
  const Index n = 30;
  const Matrix<double> r = random_numbers(n, 4, 6);
  const Matrix<double> k = square_of(r);
  Dense mirrored(2 * n, 2 * n);
  for (Index i = 0; i < 2 * n; ++i) {
    for (Index j = 0; j < 2 * n; ++j) {
      mirrored(i, j) = ((i < n) == (j < n) ? 1 : -1) * k(i % n, j % n);
    }
  }
  const StoredFactorRows rows(r.view());
  expect_steps(MirroredQuadratic(std::make_shared<DenseQuadratic>(k.view())), mirrored, AddedRows::none);
  expect_steps(MirroredQuadratic(std::make_shared<LowRankQuadratic>(rows)), mirrored, AddedRows::none);
}

// Rows that are nowhere in memory.
class FormulaRows final : public FactorRows {
 public:
  Index rows() const override { return 1100; }
  Index columns() const override { return 3; }
  void read(IndexRange range, MatrixView<double> out) const override {
    for (Index i = range.begin; i < range.end; ++i) {
      for (Index j = 0; j < 3; ++j) {
        out(i - range.begin, j) = std::sin(static_cast<double>(7 * i + 3 * j + 1));
      }
    }
    largest_ = std::max<Index>(largest_, range.size());
  }
  Index largest() const { return largest_; }

 private:
  mutable std::atomic<Index> largest_ = 0;
};

// Sums over 1100 rows have more than one part.
TEST(QuadraticTerm, LowRankProgramIsTheDenseOne) {
  const FormulaRows formula;
  Matrix<double> r(1100, 3);
  formula.read({0, 1100}, r.view());
  const FormulaRows unread;
  std::vector<double> signs(1100);
  Matrix<double> labels(1, 1100);
  for (Index i = 0; i < 1100; ++i) {
    signs[i] = labels(0, i) = r(i, 0) + 0.3 * std::sin(100.0 * static_cast<double>(i)) > 0 ? 1 : -1;
  }
  ConvexProgram program;
  program.linear.assign(1100, -1.0);
  program.equality = labels.view();
  program.equality_values = {0};
  program.lower.assign(1100, 0.0);
  program.upper.assign(1100, 0.5);
  const SignedFactorRows signed_rows(unread, signs);
  program.quadratic = std::make_shared<LowRankQuadratic>(signed_rows);
  const ConvexSolution out_of_core = solve_convex_program(program, {}, mercer::Run{{.threads = 2}});
  EXPECT_LE(unread.largest(), 512);
  const StoredFactorRows stored(r.view());
  const SignedFactorRows signed_stored(stored, signs);
  program.quadratic = std::make_shared<LowRankQuadratic>(signed_stored);
  const ConvexSolution in_memory = solve_convex_program(program, {}, mercer::Run{{.threads = 1}});
  EXPECT_EQ(out_of_core.point.x, in_memory.point.x);
  program.quadratic = DenseQuadratic::of_gram(DenseGram<double>(square_of(r)), signs, {});
  const ConvexSolution dense = solve_convex_program(program, {}, {});
  ASSERT_EQ(dense.status, ProgramStatus::converged);
  ASSERT_EQ(in_memory.status, ProgramStatus::converged);
  EXPECT_NEAR(dense.primal, in_memory.primal, 2e-8 * std::abs(dense.primal));
}

TEST(QuadraticTerm, RefusesWhatIsNoQuadraticForm) {
  EXPECT_ERROR(DenseQuadratic(Matrix<double>::filled(2, 3, 1.0)), InvalidArgument, "must be square");
  Matrix<double> q = Matrix<double>::filled(2, 2, 1.0);
  q(0, 1) = 2;
  EXPECT_ERROR(DenseQuadratic(q.view()), InvalidArgument, "not symmetric");
  q(0, 1) = std::nan("");
  EXPECT_ERROR(DenseQuadratic(q.view()), InvalidArgument, "not finite");
  EXPECT_ERROR(DiagonalQuadratic({1, -1}), InvalidArgument, "diagonal entry of Q");
  const Matrix<double> r = random_numbers(4, 2, 5);
  const StoredFactorRows rows(r.view());
  EXPECT_ERROR(LowRankQuadratic(rows, {1, 2}), InvalidArgument, "the factor has 4 rows");
  const Matrix<double> core = Matrix<double>::filled(2, 2, 1.0);
  EXPECT_ERROR(LowRankQuadratic(rows, {}, Matrix<double>::filled(3, 3, 1.0).view()), InvalidArgument, "core");
  EXPECT_ERROR(LowRankQuadratic(rows, {}, core.view()), NumericalError, "positive definite");
  Matrix<double> broken = random_numbers(4, 2, 5);
  broken(2, 1) = std::nan("");
  const StoredFactorRows broken_rows(broken.view());
  EXPECT_ERROR(LowRankQuadratic{broken_rows}, InvalidArgument, "row 2 of the factor");
  EXPECT_ERROR(PowerTerm({1}, 1), InvalidArgument, "exponent");
  EXPECT_ERROR(PowerTerm({-1}, 2), InvalidArgument, "weight");
}

}  // namespace
}  // namespace mercer
