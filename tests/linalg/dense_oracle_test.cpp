// The oracle itself: every operation against its definition, written out, on small matrices with known answers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;

const Dense a = Dense::of_rows({{4, 2, 0}, {2, 5, 3}, {0, 3, 6}});  // positive definite, determinant 60
const Dense wide = Dense::of_rows({{1, -2, 3}, {-4, 5, 6}});

void expect_equal(const Dense& found, const Dense& expected, double tolerance = 1e-14) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.columns(), expected.columns());
  for (Index i = 0; i < found.rows(); ++i) {
    for (Index j = 0; j < found.columns(); ++j) {
      EXPECT_NEAR(found(i, j), expected(i, j), tolerance) << i << ", " << j;
    }
  }
}

TEST(DenseOracle, PlacesAndParts) {
  EXPECT_EQ(wide(0, 2), 3);
  EXPECT_EQ(wide(1, 0), -4);
  expect_equal(wide.transpose(), Dense::of_rows({{1, -4}, {-2, 5}, {3, 6}}), 0);
  expect_equal(wide.row(1), Dense::of_rows({{-4, 5, 6}}), 0);
  expect_equal(wide.column(1), std::vector<double>{-2, 5}, 0);
  expect_equal(a.block(1, 0, 2, 2), Dense::of_rows({{2, 5}, {0, 3}}), 0);
  expect_equal(a.first(2, 2), Dense::of_rows({{4, 2}, {2, 5}}), 0);
  const std::vector<Index> rows = {1, 0, 1};
  const std::vector<Index> columns = {2, 0};
  expect_equal(wide.picked(rows, columns), Dense::of_rows({{6, -4}, {3, 1}, {6, -4}}), 0);
  expect_equal(wide.picked_rows(rows), Dense::of_rows({{-4, 5, 6}, {1, -2, 3}, {-4, 5, 6}}), 0);
  expect_equal(a.diagonal(), std::vector<double>{4, 5, 6}, 0);
  expect_equal(Dense::of_rows({{1, 9}, {2, 3}}).lower_triangle(), Dense::of_rows({{1, 0}, {2, 3}}), 0);
  expect_equal(Dense::of_rows({{1, 9}, {2, 3}}).mirrored_lower(), Dense::of_rows({{1, 2}, {2, 3}}), 0);
  Dense changed = a;
  changed.set_row(0, Dense::of_rows({{7, 8, 9}}));
  changed.set_column(2, std::vector<double>{1, 2, 3});
  changed.add_to_diagonal(10);
  expect_equal(changed, Dense::of_rows({{17, 8, 1}, {2, 15, 2}, {0, 3, 13}}), 0);
  // To the library's row-major matrices and back, in both precisions.
  expect_equal(wide.matrix(), wide, 0);
  EXPECT_EQ(wide.matrix().data()[1], -2);
  expect_equal(Dense(wide.matrix().view().block(0, 1, 2, 2)), wide.block(0, 1, 2, 2), 0);
  expect_equal(Matrix<float>::filled(2, 1, 0.5F), std::vector<float>{0.5F, 0.5F}, 0);
}

TEST(DenseOracle, SumsProductsAndNorms) {
  expect_equal(wide * a, Dense::of_rows({{0, 1, 12}, {-6, 35, 51}}), 0);
  expect_equal(2 * wide - wide / 2 + wide, 2.5 * wide);
  expect_equal(wide.shifted(1), Dense::of_rows({{2, -1, 4}, {-3, 6, 7}}), 0);
  expect_equal(Dense::identity(3) * a, a, 0);
  expect_equal(Dense::evenly_spaced(3, -1, 4), std::vector<double>{-1, 1.5, 4}, 0);
  EXPECT_EQ(wide.sum(), 9);
  EXPECT_EQ(wide.sum_abs(), 21);
  EXPECT_EQ(wide.mean(), 1.5);
  EXPECT_EQ(wide.max(), 6);
  EXPECT_EQ(wide.min(), -4);
  EXPECT_EQ((-1.0 * wide).max_abs(), 6);
  EXPECT_EQ(wide.squared_norm(), 91);
  EXPECT_NEAR(wide.norm(), std::sqrt(91.0), 1e-14);
  EXPECT_EQ(wide.dot(wide.map([](double entry) { return entry > 0 ? 1.0 : 0.0; })), 15);
  EXPECT_EQ(wide.row(0).dot(std::vector<double>{1, 1, 1}), 2);
  EXPECT_EQ(a.trace(), 15);
  Dense broken = a;
  EXPECT_TRUE(broken.all_finite());
  broken(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(broken.all_finite());
  EXPECT_TRUE(std::isnan(broken.max_abs()) && std::isnan(broken.max()) && std::isnan(broken.min()));
}

TEST(DenseOracle, Decompositions) {
  const Dense right = Dense::of_rows({{1, 0}, {2, -1}, {3, 4}});
  expect_equal(a * a.solve(right), right);
  expect_equal(a * a.solve_positive(right), right);
  expect_equal(a * a.inverse(), Dense::identity(3));
  EXPECT_NEAR(a.determinant(), 60, 1e-12);
  EXPECT_NEAR(a.log_determinant(), std::log(60.0), 1e-14);
  const Dense l = a.cholesky();
  EXPECT_EQ(l(0, 2), 0);
  EXPECT_EQ(l(0, 0), 2);
  expect_equal(l * l.transpose(), a);
  const auto [values, vectors] = a.eigen();
  expect_equal(vectors * Dense::with_diagonal(values) * vectors.transpose(), a, 1e-13);
  expect_equal(vectors.transpose() * vectors, Dense::identity(3));
  EXPECT_LT(values(0), values(1));
  expect_equal(a.eigenvalues(), values, 1e-13);
  const Dense q = wide.transpose().orthogonal_factor();
  expect_equal(q.transpose() * q, Dense::identity(3));
  EXPECT_NEAR((q.column(2).transpose() * wide.transpose()).max_abs(), 0, 1e-14);
  const Dense space = Dense::of_rows({{1, 2}, {2, 4}, {2, 4}}).column_space();  // rank 1
  ASSERT_EQ(space.columns(), 1);
  expect_equal(space * space.transpose(), Dense::of_rows({{1, 2, 2}, {2, 4, 4}, {2, 4, 4}}) / 9);
  // No inverse, but a solution.
  const Dense singular = Dense::of_rows({{1, 1}, {1, 1}});
  expect_equal(singular * singular.solve(std::vector<double>{3, 3}), std::vector<double>{3, 3});
}

TEST(DenseOracle, MistakesOfATestAreSaid) {
  EXPECT_ERROR(wide * wide, std::logic_error, "Dense: product of 2 x 3 and 2 x 3");
  EXPECT_ERROR(wide + a, std::logic_error, "Dense: sum of 2 x 3 and 3 x 3");
  EXPECT_ERROR(wide.inverse(), std::logic_error, "Dense: inverse of 2 x 3 and 2 x 3");
  EXPECT_ERROR(wide(2, 0), std::logic_error, "Dense: entry 2, 0 of 2 x 3");
  EXPECT_ERROR(wide(1), std::logic_error, "Dense: entry 1, 0 of 2 x 3");
  EXPECT_ERROR(wide.row(2), std::logic_error, "Dense: block of 2 x 3 and 1 x 3");
  EXPECT_ERROR(a.solve(wide), std::logic_error, "Dense: system of 3 x 3 and 2 x 3");
  EXPECT_ERROR(Dense::of_rows({{1, 2}, {2, 1}}).cholesky(), std::logic_error,
               "Dense: Cholesky factor that does not exist");
  EXPECT_ERROR(Dense(0, 0).max(), std::logic_error, "Dense: maximum of 0 x 0 and 0 x 0");
}

}  // namespace
}  // namespace mercer
