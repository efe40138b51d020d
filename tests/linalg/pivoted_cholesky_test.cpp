// Pivoted Cholesky: the factor reproduces pivot columns, the trace error is the true one, rules, degenerate matrices.
#include "mercer/linalg/pivoted_cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "linalg/oracle.h"
#include "mercer/base/error.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;

template <class T>
ColumnOracle<T> oracle_of(const Matrix<T>& k, bool with_square) {
  ColumnOracle<T> result;
  result.columns = [&k](std::span<const Index> pivots, MatrixView<T> out) {
    for (Index i = 0; i < k.rows(); ++i) {
      for (std::size_t j = 0; j < pivots.size(); ++j) {
        out(i, static_cast<Index>(j)) = k(i, pivots[j]);
      }
    }
  };
  if (with_square) {
    result.square = [&k](std::span<const Index> pivots, MatrixView<T> out) {
      for (std::size_t i = 0; i < pivots.size(); ++i) {
        for (std::size_t j = 0; j < pivots.size(); ++j) {
          out(static_cast<Index>(i), static_cast<Index>(j)) = k(pivots[i], pivots[j]);
        }
      }
    };
  }
  return result;
}

template <class T>
std::vector<T> diagonal_of(const Matrix<T>& k) {
  std::vector<T> diagonal;
  for (Index i = 0; i < k.rows(); ++i) {
    diagonal.push_back(k(i, i));
  }
  return diagonal;
}

// A Gaussian kernel matrix of points on a line.
template <class T>
Matrix<T> gaussian(Index n, double width) {
  RandomStream random(61);
  std::vector<double> x(n);
  fill_normal(random, x);
  Matrix<T> k(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double d = x[i] - x[j];
      k(i, j) = static_cast<T>(std::exp(-d * d / (2 * width * width)));
    }
  }
  return k;
}

template <class T>
void check(const Matrix<T>& k, const PivotedCholesky<T>& result, double tolerance) {
  const Dense full = k;
  const Dense f = result.factor;
  ASSERT_EQ(f.columns(), result.rank());
  ASSERT_EQ(static_cast<Index>(result.trace_errors.size()), result.rank() + 1);
  EXPECT_EQ(std::set<Index>(result.pivots.begin(), result.pivots.end()).size(), result.pivots.size());
  const double trace = full.trace();
  for (Index r = 0; r <= result.rank(); ++r) {
    const double truth = trace - f.first_columns(r).squared_norm();
    ASSERT_NEAR(result.trace_errors[r], truth, tolerance * trace) << r;
  }
  const Dense residual = full - f * f.transpose();
  for (const Index pivot : result.pivots) {
    ASSERT_LE(residual.column(pivot).max_abs(), 10 * tolerance * trace);
  }
  for (Index i = 0; i < full.rows(); ++i) {
    ASSERT_NEAR(result.residual_diagonal[i], residual(i, i), tolerance * trace);
  }
}

TEST(PivotedCholesky, ReproducesPivotColumnsAndKnowsItsTrace) {
  for (const auto rule : {PivotRule::random, PivotRule::greedy}) {
    for (const bool with_square : {false, true}) {
      for (const Index block : {Index{0}, Index{1}, Index{7}, Index{300}}) {
        const auto k = gaussian<double>(250, 0.05);
        const PivotedCholeskyOptions options{.max_rank = 40, .block = block, .rule = rule};
        const auto result = pivoted_cholesky(diagonal_of(k), oracle_of(k, with_square), options, mercer::Run());
        EXPECT_EQ(result.rank(), 40);
        check(k, result, 1e-10);
        const auto narrow = gaussian<float>(250, 0.05);
        check(narrow, pivoted_cholesky(diagonal_of(narrow), oracle_of(narrow, with_square), options, mercer::Run()),
              1e-4);
      }
    }
  }
}

TEST(PivotedCholesky, GreedyPivotsAreAtLeastHalfOfTheLargest) {
  const auto k = gaussian<double>(200, 0.1);
  const auto result = pivoted_cholesky(diagonal_of(k), oracle_of(k, true),
                                       {.max_rank = 30, .block = 10, .rule = PivotRule::greedy}, mercer::Run());
  Dense residual = k;
  for (const Index pivot : result.pivots) {
    ASSERT_GE(residual(pivot, pivot), 0.499 * residual.diagonal().max());
    const Dense g = residual.column(pivot) / std::sqrt(residual(pivot, pivot));
    residual -= g * g.transpose();
  }
}

// The mean trace error of the blocked method must be that of the simple one (the laws agree), and near the best rank-k.
TEST(PivotedCholesky, BlocksDoNotChangeTheLaw) {
  const auto k = gaussian<double>(120, 0.2);
  double simple = 0;
  double blocked = 0;
  double squares = 0;
  constexpr int trials = 300;
  for (int t = 0; t < trials; ++t) {
    const mercer::Run run(RunOptions{.threads = 1, .seed = static_cast<std::uint64_t>(t)});
    const double a =
        pivoted_cholesky(diagonal_of(k), oracle_of(k, true), {.max_rank = 6, .block = 1}, run).trace_errors.back();
    const double b =
        pivoted_cholesky(diagonal_of(k), oracle_of(k, true), {.max_rank = 6, .block = 20}, run).trace_errors.back();
    simple += a / trials;
    blocked += b / trials;
    squares += (a * a + b * b) / (2 * trials);
  }
  const double mean = (simple + blocked) / 2;
  const double deviation = std::sqrt((squares - mean * mean) * 2 / trials);
  EXPECT_NEAR(simple, blocked, 4 * deviation);
  const Dense values = Dense(k).eigenvalues();
  EXPECT_LT(blocked, 3 * values.first(120 - 4).sum());  // k = 6 against the best rank 4
}

TEST(PivotedCholesky, StopsAtTheToleranceAndAtTheRank) {
  const auto k = gaussian<double>(300, 1.0);
  for (const auto rule : {PivotRule::random, PivotRule::greedy}) {
    const auto result = pivoted_cholesky(diagonal_of(k), oracle_of(k, true),
                                         {.max_rank = 300, .tolerance = 1e-6, .rule = rule}, mercer::Run());
    EXPECT_LE(result.trace_errors.back(), 1e-6 * 300);
    EXPECT_LT(result.rank(), 60);
    check(k, result, 1e-9);
    // Rank 3 exactly.
    const Dense g(oracle::random_matrix<double>(100, 3, 62));
    const Dense low = g * g.transpose();
    Matrix<double> exact(100, 100);
    for (Index i = 0; i < 100; ++i) {
      for (Index j = 0; j < 100; ++j) {
        exact(i, j) = low(i, j);
      }
    }
    const auto three =
        pivoted_cholesky(diagonal_of(exact), oracle_of(exact, false), {.max_rank = 50, .rule = rule}, mercer::Run());
    EXPECT_EQ(three.rank(), 3);
    check(exact, three, 1e-12);
  }
}

TEST(PivotedCholesky, DegenerateMatrices) {
  for (const auto rule : {PivotRule::random, PivotRule::greedy}) {
    const auto zero = Matrix<double>::filled(5, 5, 0);
    EXPECT_EQ(pivoted_cholesky(diagonal_of(zero), oracle_of(zero, false), {.max_rank = 3, .rule = rule}, mercer::Run())
                  .rank(),
              0);
    const auto ones = Matrix<double>::filled(5, 5, 1);
    EXPECT_EQ(
        pivoted_cholesky(diagonal_of(ones), oracle_of(ones, true), {.max_rank = 3, .rule = rule}, mercer::Run()).rank(),
        1);
    const auto one = Matrix<double>::filled(1, 1, 4);
    const auto single =
        pivoted_cholesky(diagonal_of(one), oracle_of(one, true), {.max_rank = 9, .rule = rule}, mercer::Run());
    EXPECT_EQ(single.rank(), 1);
    EXPECT_EQ(single.factor(0, 0), 2);
    auto identity = Matrix<double>::filled(40, 40, 0);
    for (Index i = 0; i < 40; ++i) {
      identity(i, i) = 1;
    }
    const auto full = pivoted_cholesky(diagonal_of(identity), oracle_of(identity, true),
                                       {.max_rank = 100, .rule = rule}, mercer::Run());
    EXPECT_EQ(full.rank(), 40);
    check(identity, full, 1e-14);
  }
  const Matrix<double> none;
  EXPECT_EQ(pivoted_cholesky<double>(diagonal_of(none), oracle_of(none, false), {.max_rank = 3}, mercer::Run()).rank(),
            0);
  EXPECT_ERROR(
      pivoted_cholesky<double>(std::vector<double>{1, -1}, ColumnOracle<double>{}, {.max_rank = 3}, mercer::Run()),
      InvalidArgument, "diagonal entry 1 = -1.000000");
  EXPECT_ERROR(pivoted_cholesky<double>(std::vector<double>{1, std::nan("")}, ColumnOracle<double>{}, {.max_rank = 3},
                                        mercer::Run()),
               InvalidArgument, "diagonal entry 1 = nan");
  EXPECT_ERROR(pivoted_cholesky<double>(std::vector<double>{1}, ColumnOracle<double>{}, {.max_rank = 0}, mercer::Run()),
               InvalidArgument, "max_rank = 0");
}

TEST(PivotedCholesky, SameBitsForAnyThreads) {
  const auto k = gaussian<double>(2500, 0.02);
  Matrix<double> first;
  for (const int threads : {1, 2, 3}) {
    auto result = pivoted_cholesky(diagonal_of(k), oracle_of(k, true), {.max_rank = 60},
                                   mercer::Run(RunOptions{.threads = threads, .seed = 5}));
    if (threads == 1) {
      first = std::move(result.factor);
    } else {
      EXPECT_TRUE(oracle::same_bits(first, result.factor));
    }
  }
}

}  // namespace
}  // namespace mercer
