#include "mercer/gram/row_cache.h"

#include <gtest/gtest.h>

#include "gram/gram_samples.h"
#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace gram_test;

class RowCache : public ::testing::Test {
 protected:
  static constexpr Index n = 300;
  Matrix<double> x_ = random_matrix(n, 3, 30);
  Matrix<double> expected_ = test_gram(x_, x_);
  std::shared_ptr<const Gram<double>> gram_ = std::make_shared<const KernelGram<double>>(
      prepare<double>(test_spec, make_dense(Matrix<double>::copy_of(x_.view()))));

  static double megabytes(double rows) { return rows * n * 8 / 1048576.0; }

  void expect_row(const CachedRow<double>& row, Index i) const {
    ASSERT_EQ(row.values().size(), static_cast<std::size_t>(n));
    for (Index j = 0; j < n; ++j) {
      ASSERT_NEAR(row[j], expected_(i, j), 1e-12);
    }
  }
};

TEST_F(RowCache, FetchesBatchesAndCounts) {
  RowCacheGram<double> cache(gram_, megabytes(4.5));
  EXPECT_EQ(cache.capacity(), 4);
  const std::vector<Index> batch{7, 2, 7, 299};
  const auto rows = cache.fetch(batch, run_on(2));
  for (std::size_t a = 0; a < batch.size(); ++a) {
    expect_row(rows[a], batch[a]);
  }
  EXPECT_EQ(cache.misses(), 3);
  EXPECT_EQ(cache.hits(), 1);
  expect_row(cache.row_at(2, run_on(1)), 2);
  EXPECT_EQ(cache.hits(), 2);
  EXPECT_EQ(cache.cached_rows(), 3);
}

TEST_F(RowCache, DropsTheLeastRecentlyUsed) {
  RowCacheGram<double> cache(gram_, megabytes(3.5));
  for (const Index i : {0, 1, 2, 0, 3}) {
    cache.row_at(i, run_on(1));
  }
  EXPECT_FALSE(cache.is_cached(1));
  for (const Index i : {0, 2, 3}) {
    EXPECT_TRUE(cache.is_cached(i));
  }
  EXPECT_EQ(cache.cached_rows(), 3);
}

TEST_F(RowCache, RowsOutliveTheirPlaceInTheCache) {
  RowCacheGram<double> cache(gram_, megabytes(2.5));
  const CachedRow<double> held = cache.row_at(5, run_on(1));
  for (Index i = 10; i < 40; ++i) {
    expect_row(cache.row_at(i, run_on(1)), i);
  }
  EXPECT_FALSE(cache.is_cached(5));
  expect_row(held, 5);
}

TEST_F(RowCache, BatchesLargerThanTheBudget) {
  RowCacheGram<double> cache(gram_, megabytes(0.1));
  EXPECT_EQ(cache.capacity(), 2);
  const std::vector<Index> all = numbers_up_to(n);
  const auto rows = cache.fetch(all, run_on(2));
  for (Index i = 0; i < n; ++i) {
    expect_row(rows[i], i);
  }
  EXPECT_EQ(cache.cached_rows(), 2);
  EXPECT_TRUE(cache.is_cached(n - 1));
}

TEST_F(RowCache, RandomRequestsKeepOrderAndBudget) {
  RowCacheGram<double> cache(gram_, megabytes(6.5));
  RandomStream random(8);
  std::vector<Index> recent;  // the model: most recently used last
  for (int step = 0; step < 400; ++step) {
    std::vector<Index> batch(1 + random.below(4));
    for (Index& i : batch) {
      i = static_cast<Index>(random.below(12));
    }
    const auto rows = cache.fetch(batch, run_on(1));
    for (std::size_t a = 0; a < batch.size(); ++a) {
      ASSERT_NEAR(rows[a][17], expected_(batch[a], 17), 1e-12);
      std::erase(recent, batch[a]);
      recent.push_back(batch[a]);
      if (recent.size() > 6) {
        recent.erase(recent.begin());
      }
    }
    ASSERT_EQ(cache.cached_rows(), static_cast<Index>(recent.size()));
    for (const Index i : recent) {
      ASSERT_TRUE(cache.is_cached(i));
    }
  }
}

TEST_F(RowCache, RefusesWrongArguments) {
  EXPECT_ERROR(RowCacheGram<double>(gram_, 0), InvalidArgument, "cache_mb = 0");
  EXPECT_ERROR(RowCacheGram<double>(gram_, NAN), InvalidArgument, "cache_mb = nan");
  RowCacheGram<double> cache(gram_, 1);
  EXPECT_ERROR(cache.row_at(n, run_on(1)), InvalidArgument, "row 300 of a Gram matrix of size 300");
  EXPECT_EQ(cache.misses(), 0);
}

}  // namespace
}  // namespace mercer
