// Rows of a Gram matrix under shrinking, kept or computed again.
#include "mercer/solvers/svm/active_gram.h"

#include <gtest/gtest.h>

#include "mercer/data/samples.h"
#include "mercer/kernels/spec.h"
#include "solvers/svm_oracle.h"
#include "support/dense.h"

namespace mercer {
namespace {

using oracle::Dense;

constexpr Index wide = 200;  // columns of samples whose kernel values are worth keeping

struct Rows {
  Dense kernel;
  std::shared_ptr<const Gram<double>> gram;
};

Rows rows_of(Index n, Index columns, std::uint64_t seed) {
  RandomStream random(seed, 21);
  Dense x(n, columns);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < columns; ++j) {
      x(i, j) = random.normal();
    }
  }
  const double gamma = std::stod(std::to_string(0.5 / static_cast<double>(columns)));  // what the text will say
  return {testing::gaussian_kernel(x, gamma),
          std::make_shared<KernelGram<double>>(std::make_shared<const PreparedKernel>(
              parse_kernel("rbf(gamma=" + std::to_string(gamma) + ")"), make_dense(testing::to_matrix<double>(x)),
              Precision::double_precision, mercer::Run()))};
}

double memory_for(Index rows, Index length) {
  return static_cast<double>(rows * length * static_cast<Index>(sizeof(double))) / 1048576.0;
}

std::vector<Index> random_rows(std::span<const Index> from, double share, RandomStream& random) {
  std::vector<Index> chosen;
  for (const Index row : from) {
    if (random.uniform() < share) {
      chosen.push_back(row);
    }
  }
  return chosen;
}

Matrix<double> block_of(ActiveGram<double>& active, std::span<const Index> rows, std::span<const Index> columns) {
  Matrix<double> all(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  Index next = 0;
  active.for_blocks(rows, columns, [&](Index first, ConstMatrixView<double> values) {
    EXPECT_EQ(first, next);
    next += values.rows();
    for (Index a = 0; a < values.rows(); ++a) {
      std::copy_n(values.row_data(a), values.columns(), all.view().row_data(first + a));
    }
  });
  EXPECT_EQ(next, all.rows());
  return all;
}

void expect_right(ActiveGram<double>& active, const Dense& kernel, RandomStream& random) {
  const std::vector<Index> all(active.active().begin(), active.active().end());
  std::vector<Index> rows = random_rows(all, 0.4, random);
  if (active.keeps_rows() && static_cast<Index>(rows.size()) > active.most_rows()) {
    rows.resize(active.most_rows());
  }
  std::vector<double> coefficients(rows.size());
  fill_normal(random, coefficients);
  // Two variables may share a row.
  if (!rows.empty()) {
    rows.push_back(rows.front());
    coefficients.push_back(-0.3);
  }
  const std::vector<Index> columns = random_rows(all, 0.3, random);
  const Matrix<double> block = block_of(active, rows, columns);
  for (Index a = 0; a < block.rows(); ++a) {
    for (Index b = 0; b < block.columns(); ++b) {
      ASSERT_NEAR(block(a, b), kernel(rows[a], columns[b]), 1e-12);
    }
  }
  std::vector<double> values = testing::constant(active.size(), 0.25);
  active.accumulate(rows, coefficients, values);
  std::vector<double> recomputed = testing::constant(active.size(), 7.0);
  active.recompute(rows, coefficients, recomputed);
  std::vector<char> is_active(values.size(), 0);
  for (const Index row : all) {
    is_active[row] = 1;
  }
  for (Index j = 0; j < active.size(); ++j) {
    double sum = 0;
    for (std::size_t a = 0; a < rows.size(); ++a) {
      sum += coefficients[a] * kernel(rows[a], j);
    }
    const auto at = static_cast<std::size_t>(j);
    ASSERT_NEAR(values[at], 0.25 + (is_active[at] != 0 ? sum : 0), 1e-11);
    ASSERT_NEAR(recomputed[at], sum, 1e-11);
  }
}

TEST(ActiveGram, KeepsExpensiveRowsOnly) {
  // Values that are quick to compute are kept only where rows are short enough for a cache of the processor.
  const KernelGram<double> cheap(std::make_shared<const PreparedKernel>(
      parse_kernel("rbf(gamma=0.5)"), make_dense(Matrix<double>::filled(4097, 2, 0.5)), Precision::double_precision,
      mercer::Run()));
  EXPECT_FALSE(ActiveGram<double>(cheap, 100, mercer::Run()).keeps_rows());
  EXPECT_TRUE(ActiveGram<double>(*rows_of(100, 2, 1).gram, 100, mercer::Run()).keeps_rows());
  const Rows expensive = rows_of(100, wide, 1);
  ActiveGram<double> active(*expensive.gram, 100, mercer::Run());
  EXPECT_TRUE(active.keeps_rows());
  EXPECT_EQ(active.most_rows(), 100);
  EXPECT_FALSE(active.is_full());
  // No room for a useful number of rows.
  EXPECT_FALSE(ActiveGram<double>(*expensive.gram, memory_for(20, 100), mercer::Run()).keeps_rows());
}

TEST(ActiveGram, IsRightUnderAnySequenceOfActiveSets) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    RandomStream random(seed, 22);
    const Index n = 70 + static_cast<Index>(random.below(120));
    const Rows rows = rows_of(n, seed % 4 == 0 ? 3 : wide, seed);
    const double memory = seed % 3 == 0   ? 100.0
                          : seed % 3 == 1 ? memory_for(65 + static_cast<Index>(random.below(40)), n)
                                          : memory_for(20, n);
    ActiveGram<double> active(*rows.gram, memory, mercer::Run());
    std::vector<Index> all(active.active().begin(), active.active().end());
    for (int change = 0; change < 8; ++change) {
      expect_right(active, rows.kernel, random);
      expect_right(active, rows.kernel, random);
      // Sometimes shrinks what is active, sometimes takes any rows, sometimes all.
      const std::uint64_t kind = random.below(4);
      const std::vector<Index> now(active.active().begin(), active.active().end());
      std::vector<Index> next = kind == 0 ? all : random_rows(kind == 1 ? all : now, 0.8, random);
      if (next.empty()) {
        next = all;
      }
      active.activate(next);
      ASSERT_TRUE(std::ranges::equal(active.active(), next));
      EXPECT_EQ(active.is_whole(), static_cast<Index>(next.size()) == n);
    }
  }
}

TEST(ActiveGram, StaysWithinItsRowsAndFillsThem) {
  const Rows rows = rows_of(150, wide, 9);
  ActiveGram<double> active(*rows.gram, memory_for(70, 150), mercer::Run());
  ASSERT_TRUE(active.keeps_rows());
  EXPECT_EQ(active.most_rows(), 70);
  EXPECT_FALSE(active.is_full());
  for (Index first : {0, 70, 40, 80}) {
    std::vector<Index> list(70);
    std::iota(list.begin(), list.end(), first);
    const Matrix<double> block = block_of(active, list, std::vector<Index>{3});
    for (Index a = 0; a < 70; ++a) {
      EXPECT_NEAR(block(a, 0), rows.kernel(first + a, 3), 1e-12);
    }
    EXPECT_TRUE(active.is_full());
  }
  // Shorter rows leave room for more of them.
  std::vector<Index> half(75);
  std::iota(half.begin(), half.end(), Index{75});
  active.activate(half);
  EXPECT_EQ(active.most_rows(), 75);
}

TEST(ActiveGram, SameBitsForAnyNumberOfThreads) {
  const Rows rows = rows_of(180, wide, 3);
  const auto sums = [&](int threads) {
    const mercer::Run run{{.threads = threads}};
    ActiveGram<double> active(*rows.gram, 100, run);
    std::vector<double> values = testing::constant(180, 0);
    const std::vector<Index> list = {1, 5, 7, 50, 99, 170};
    active.accumulate(list, std::vector<double>{1, 2, -3, 0.1, 0.7, 11}, values);
    active.activate({1, 5, 7, 8, 9, 50, 99, 100, 101, 170});
    active.accumulate(list, std::vector<double>{1, 2, -3, 0.1, 0.7, 11}, values);
    return values;
  };
  EXPECT_EQ(sums(1), sums(2));
  EXPECT_EQ(sums(1), sums(3));
}

}  // namespace
}  // namespace mercer
