#include "mercer/linalg/cholesky_update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "linalg/oracle.h"
#include "support/dense.h"

namespace mercer {
namespace {

using oracle::Dense;
using oracle::random_positive;

// The rows of a large matrix that the factor stands for, and the comparison with a factorisation from scratch.
class Reference {
 public:
  explicit Reference(Index n, double shift, std::uint64_t seed) : a_(random_positive<double>(n, shift, seed)) {}

  std::vector<double> row(Index i) const {
    std::vector<double> values;
    for (const Index j : listed) {
      values.push_back(a_(i, j));
    }
    return values;
  }
  double entry(Index i, Index j) const { return a_(i, j); }

  double relative_error(const GrowingCholesky& factor) const {
    const auto n = static_cast<Index>(listed.size());
    EXPECT_EQ(factor.size(), n);
    Dense picked(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        picked(i, j) = a_(listed[i], listed[j]);
      }
    }
    const Dense l = picked.cholesky();
    double largest = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) {
        largest = std::max(largest, std::abs(factor.factor()(i, j) - l(i, j)));
      }
    }
    return n == 0 ? 0 : largest / l.max_abs();
  }

  std::vector<Index> listed;

 private:
  Matrix<double> a_;
};

TEST(GrowingCholesky, EqualsAFactorizationAfterAnySequenceOfChanges) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Index n = 60;
    Reference reference(n, 0.1, seed);
    GrowingCholesky factor;
    RandomStream random(seed, 5);
    std::vector<Index> outside(n);
    std::iota(outside.begin(), outside.end(), Index{0});
    for (int step = 0; step < 300; ++step) {
      const bool add = reference.listed.empty() || (!outside.empty() && random.uniform() < 0.55);
      if (add) {
        const std::size_t pick = random.below(outside.size());
        const Index i = outside[pick];
        ASSERT_TRUE(factor.append(reference.row(i), reference.entry(i, i)).ok);
        reference.listed.push_back(i);
        outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(pick));
      } else {
        const std::size_t pick = random.below(reference.listed.size());
        factor.remove(static_cast<Index>(pick));
        outside.push_back(reference.listed[pick]);
        reference.listed.erase(reference.listed.begin() + static_cast<std::ptrdiff_t>(pick));
      }
      ASSERT_LT(reference.relative_error(factor), 1e-10) << step;
    }
  }
}

TEST(GrowingCholesky, AppendsBlocks) {
  const Index n = 700;
  Reference reference(n, 1.0, 8);
  GrowingCholesky factor;
  Index next = 0;
  for (const Index count : {1, 300, 0, 17, 260}) {
    Matrix<double> rows(count, next);
    Matrix<double> square(count, count);
    for (Index i = 0; i < count; ++i) {
      const std::vector<double> row = reference.row(next + i);
      std::copy(row.begin(), row.end(), rows.view().row_data(i));
      for (Index j = 0; j < count; ++j) {
        square(i, j) = j <= i ? reference.entry(next + i, next + j) : NAN;
      }
    }
    ASSERT_TRUE(factor.append(rows.view(), square.view(), mercer::Run()).ok);
    for (Index i = 0; i < count; ++i) {
      reference.listed.push_back(next++);
    }
    EXPECT_LT(reference.relative_error(factor), 1e-10);
  }
  factor.remove(0);
  factor.remove(200);
  reference.listed.erase(reference.listed.begin());
  reference.listed.erase(reference.listed.begin() + 200);
  EXPECT_LT(reference.relative_error(factor), 1e-10);
}

TEST(GrowingCholesky, RefusesWhatIsNotPositiveAndStaysAsItWas) {
  GrowingCholesky factor;
  EXPECT_FALSE(factor.append({}, 0.0).ok);
  EXPECT_FALSE(factor.append({}, -1.0).ok);
  EXPECT_FALSE(factor.append({}, NAN).ok);
  EXPECT_EQ(factor.size(), 0);
  ASSERT_TRUE(factor.append({}, 4.0).ok);
  const CholeskyStatus status = factor.append(std::vector<double>{2.0}, 1.0);  // a multiple of the first row
  EXPECT_FALSE(status.ok);
  EXPECT_EQ(status.failed_at, 1);
  const Matrix<double> rows = Matrix<double>::filled(2, 1, 0.0);
  Matrix<double> square = Matrix<double>::filled(2, 2, 1.0);
  EXPECT_EQ(factor.append(rows.view(), square.view(), mercer::Run()).failed_at, 2);
  EXPECT_EQ(factor.size(), 1);
  EXPECT_DOUBLE_EQ(factor.factor()(0, 0), 2.0);
  EXPECT_DOUBLE_EQ(factor.log_determinant(), std::log(4.0));
  factor.remove(0);
  EXPECT_EQ(factor.size(), 0);
  EXPECT_DOUBLE_EQ(factor.log_determinant(), 0.0);
}

TEST(GrowingCholesky, StaysPositiveNextToSingular) {
  // Rows that differ by 1e-9 only: the pivots are tiny, and taking rows out must not make them negative.
  GrowingCholesky factor;
  const double near = 1 - 1e-9;
  for (Index i = 0; i < 40; ++i) {
    const std::vector<double> row(i, near);
    ASSERT_TRUE(factor.append(row, 1.0).ok) << i;
  }
  while (factor.size() > 0) {
    factor.remove(factor.size() / 2);
    for (Index i = 0; i < factor.size(); ++i) {
      ASSERT_GT(factor.factor()(i, i), 0);
      double sum = 0;
      for (Index j = 0; j <= i; ++j) {
        sum += factor.factor()(i, j) * factor.factor()(i, j);
      }
      ASSERT_NEAR(sum, 1.0, 1e-13);
    }
  }
}

TEST(GrowingCholesky, SubstitutesAndTakesFactoredRows) {
  GrowingCholesky factor;
  factor.append_factored({}, 2.0);
  factor.append_factored(std::vector<double>{3.0}, 5.0);
  std::vector<double> x{4.0, 11.0};
  factor.substitute(Transpose::no, x);
  EXPECT_DOUBLE_EQ(x[0], 2.0);
  EXPECT_DOUBLE_EQ(x[1], 1.0);
  factor.substitute(Transpose::yes, x);  // [2 3; 0 5] x = (2, 1)
  EXPECT_DOUBLE_EQ(x[1], 0.2);
  EXPECT_DOUBLE_EQ(x[0], 0.7);
}

}  // namespace
}  // namespace mercer
