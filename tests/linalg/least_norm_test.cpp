#include "mercer/linalg/least_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"
#include "support/dense.h"

namespace mercer {
namespace {

using oracle::Dense;

// (A⁺)ᵀ c by the eigenvectors of AᵀA: A⁺ = V S⁻² Vᵀ Aᵀ over the directions that A has.
std::vector<double> by_eigenvectors(const Dense& a, const std::vector<double>& c, double tolerance) {
  const auto eigen = (a.transpose() * a).eigen();
  const Index k = a.columns();
  double largest = 0;
  for (Index s = 0; s < k; ++s) {
    largest = std::max(largest, eigen.values(s));
  }
  Dense weights(k, 1);
  for (Index s = 0; s < k; ++s) {
    if (eigen.values(s) > tolerance * largest) {
      double share = 0;
      for (Index i = 0; i < k; ++i) {
        share += eigen.vectors(i, s) * c[i];
      }
      for (Index i = 0; i < k; ++i) {
        weights(i, 0) += share / eigen.values(s) * eigen.vectors(i, s);
      }
    }
  }
  const Dense g = a * weights;
  std::vector<double> result;
  for (Index i = 0; i < a.rows(); ++i) {
    result.push_back(g(i, 0));
  }
  return result;
}

TEST(LeastNorm, EqualsThePseudoInverse) {
  RandomStream random(3, 1);
  LeastNormWorkspace workspace;
  for (int trial = 0; trial < 200; ++trial) {
    const auto rows = static_cast<Index>(1 + random.below(12));
    const auto columns = static_cast<Index>(1 + random.below(6));
    const auto rank = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(columns)));
    Matrix<double> left(rows, rank);
    Matrix<double> right(rank, columns);
    fill_normal(random, {left.data(), static_cast<std::size_t>(rows * rank)});
    fill_normal(random, {right.data(), static_cast<std::size_t>(rank * columns)});
    const Dense a = Dense(left) * Dense(right);
    std::vector<double> c(columns);
    fill_normal(random, c);
    Matrix<double> work = a.transpose().matrix();
    std::vector<double> g(rows);
    const Index found = least_norm_functional(work.view(), c, 1e-9, g, workspace);
    EXPECT_EQ(found, std::min(rows, rank));
    const std::vector<double> expected = by_eigenvectors(a, c, 1e-12);
    double size = 1;
    for (const double value : expected) {
      size = std::max(size, std::abs(value));
    }
    for (std::size_t i = 0; i < g.size(); ++i) {
      EXPECT_NEAR(g[i], expected[i], 1e-6 * size * size) << trial;
    }
  }
}

TEST(LeastNorm, SmallSingularValuesAreSeenExactly) {
  // Columns (1, 1e-9) and (1, 0): the difference is in the last digits, and still the solution is exact.
  Matrix<double> a(2, 2);
  a(0, 0) = 1;  // transposed
  a(1, 0) = 1;
  a(0, 1) = 1e-9;
  a(1, 1) = 0;
  std::vector<double> g(2);
  LeastNormWorkspace workspace;
  EXPECT_EQ(least_norm_functional(a.view(), std::vector<double>{1, 0}, 1e-14, g, workspace), 2);
  EXPECT_NEAR(g[0], 0, 1e-6);  // the first unknown is b_2 · 1e9
  EXPECT_NEAR(g[1], 1e9, 10);
}

TEST(LeastNorm, NothingIsLeftOfZero) {
  Matrix<double> a = Matrix<double>::filled(2, 3, 0);  // transposed
  std::vector<double> g(3, 7);
  LeastNormWorkspace workspace;
  EXPECT_EQ(least_norm_functional(a.view(), std::vector<double>{1, 1}, 1e-12, g, workspace), 0);
  EXPECT_EQ(g, std::vector<double>(3, 0));
}

}  // namespace
}  // namespace mercer
