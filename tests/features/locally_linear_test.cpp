// Locally linear embedding: both forms of its kernel's eigenproblem, and a curve that it straightens.
#include "mercer/features/locally_linear.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using feature_test::Dense;
using feature_test::gram_of;
using feature_test::random_matrix;

TEST(LocallyLinear, WeightsAreTheBestAverages) {
  const Matrix<double> x = random_matrix(25, 4, 1);
  const LocallyLinear found = locally_linear(*gram_of("linear()", x), {.neighbors = 3, .regularization = 1e-9}, {});
  RandomStream random(3);
  for (Index i = 0; i < 25; ++i) {
    double sum = 0;
    std::vector<Index> used;
    for (Index j = 0; j < 25; ++j) {
      sum += found.weights(i, j);
      if (found.weights(i, j) != 0) {
        used.push_back(j);
      }
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    ASSERT_EQ(used.size(), 3U);
    EXPECT_EQ(found.weights(i, i), 0);
    const auto error = [&](const std::vector<double>& w) {
      double square = 0;
      for (Index c = 0; c < 4; ++c) {
        double rest = x(i, c);
        for (std::size_t a = 0; a < 3; ++a) {
          rest -= w[a] * x(used[a], c);
        }
        square += rest * rest;
      }
      return square;
    };
    const std::vector<double> best = {found.weights(i, used[0]), found.weights(i, used[1]), found.weights(i, used[2])};
    for (int attempt = 0; attempt < 20; ++attempt) {
      const double a = 0.1 * random.normal();
      const double b = 0.1 * random.normal();
      EXPECT_GE(error({best[0] + a, best[1] + b, best[2] - a - b}), error(best) - 1e-9);
    }
  }
}

TEST(LocallyLinear, BothFormsOfTheEigenproblemAgree) {
  const LocallyLinear found = locally_linear(*gram_of("linear()", random_matrix(30, 3, 2)), {.neighbors = 5}, {});
  const Dense w(found.weights.view());
  const Dense rest = Dense::identity(30) - w;
  const Dense m = rest.transpose() * rest;
  const auto eigen = m.eigen();
  EXPECT_NEAR(found.largest, eigen.values(29), 1e-10);
  const Dense kernel = found.largest * Dense::identity(30) - m;
  EXPECT_LT((kernel - Dense(found.kernel.view())).max_abs(), 1e-10);
  EXPECT_GE(kernel.eigenvalues().min(), -1e-10);
  // (λ − 1)1 + Wᵀ + W − WᵀW
  const Dense spelled = (found.largest - 1) * Dense::identity(30) + w.transpose() + w - w.transpose() * w;
  EXPECT_LT((kernel - spelled).max_abs(), 1e-10);
  // The constant vector is the first of the kernel, then come the points: the last of M but one.
  EXPECT_NEAR(eigen.values(0), 0, 1e-10);
  for (Index c = 0; c < 2; ++c) {
    EXPECT_NEAR(found.values[c], found.largest - eigen.values(c + 1), 1e-9);
    const Dense point = Dense(found.points.view()).column(c);
    EXPECT_NEAR(std::abs(point.dot(eigen.vectors.column(c + 1))), 1, 1e-7);
    EXPECT_NEAR(point.sum(), 0, 1e-9);
    EXPECT_NEAR(point.norm(), 1, 1e-9);
  }
}

TEST(LocallyLinear, ASpiralIsUnrolled) {
  Matrix<double> x(80, 2);
  for (Index i = 0; i < 80; ++i) {
    const double t = 3 + 0.08 * static_cast<double>(i);
    x(i, 0) = t * std::cos(t);
    x(i, 1) = t * std::sin(t);
  }
  const LocallyLinear found = locally_linear(*gram_of("linear()", x), {.neighbors = 4, .dimensions = 1}, {});
  const double direction = found.points(79, 0) > found.points(0, 0) ? 1 : -1;
  for (Index i = 1; i < 80; ++i) {
    EXPECT_GT(direction * (found.points(i, 0) - found.points(i - 1, 0)), 0) << i;
  }
}

TEST(LocallyLinear, EqualRowsAndBadOptions) {
  const auto equal = gram_of("linear()", Matrix<double>::filled(8, 2, 1.0));
  EXPECT_NO_THROW(locally_linear(*equal, {.neighbors = 3, .dimensions = 1}, {}));
  EXPECT_ERROR(locally_linear(*equal, {.neighbors = 8}, {}), InvalidArgument,
               "locally linear embedding of 8 rows with 8 neighbors in 2 dimensions");
  EXPECT_ERROR(locally_linear(*equal, {.neighbors = 0}, {}), InvalidArgument, "neighbors = 0");
  EXPECT_ERROR(locally_linear(*equal, {.neighbors = 3, .dimensions = 9}, {}), InvalidArgument,
               "locally linear embedding of 8 rows with 3 neighbors in 9 dimensions");
  EXPECT_ERROR(locally_linear(*equal, {.neighbors = 3, .regularization = 0}, {}), InvalidArgument,
               "regularization = 0");
}

}  // namespace
}  // namespace mercer
