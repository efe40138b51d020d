// The plane of the feature space against explicit features and explicit sums of kernel values.
#include "mercer/report/sections/feature_plane.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/gram/cross_gram.h"
#include "report/report_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;

// In two dimensions a linear kernel's plane is all of the space: distances are kept and functions exact at every row.
TEST(FeaturePlane, IsTheInputPlaneOfALinearKernel) {
  const Matrix<double> x = random_matrix(30, 2, 1);
  const FeaturePlane plane = feature_plane(parse_kernel("linear()"), make_dense(Matrix<double>::copy_of(x.view())), {});
  EXPECT_NEAR(plane.shares[0] + plane.shares[1], 1, 1e-12);
  std::vector<double> values;
  for (Index i = 0; i < 30; ++i) {
    values.push_back(2 * x(i, 0) - 3 * x(i, 1) + 0.7);
  }
  const std::array<double, 3> affine = plane.affine(values);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(affine[0] + affine[1] * plane.positions[0][i] + affine[2] * plane.positions[1][i], values[i], 1e-10);
    const auto row = static_cast<Index>(i);
    EXPECT_NEAR(
        std::hypot(plane.positions[0][i] - plane.positions[0][0], plane.positions[1][i] - plane.positions[1][0]),
        std::hypot(x(row, 0) - x(0, 0), x(row, 1) - x(0, 1)), 1e-10);
  }
}

// f = Σ β_m k(z_m, ·) at a point Φ̄ + a u_1 + c u_2 of the plane is a sum over kernel values alone.
TEST(FeaturePlane, FunctionsOfTheSpaceAreAffine) {
  const Kernel kernel = parse_kernel("rbf(gamma=0.4)");
  const Index n = 25;
  const Samples rows = make_dense(random_matrix(n, 3, 2));
  const Samples centers = make_dense(random_matrix(6, 3, 3));
  const Matrix<double> beta = random_matrix(6, 1, 4);
  const auto prepared =
      std::make_shared<const PreparedKernel>(kernel, centers, Precision::double_precision, mercer::Run());
  Matrix<double> k(n, 6);
  CrossGram<double>(prepared, rows, {}).evaluate(k.view(), {});
  std::vector<double> values(n, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index m = 0; m < 6; ++m) {
      values[i] += k(i, m) * beta(m, 0);
    }
  }
  const FeaturePlane plane = feature_plane(kernel, rows, {});
  const std::array<double, 3> affine = plane.affine(values);
  const double a = 0.3;
  const double c = -0.2;
  double expected = 0;
  for (Index m = 0; m < 6; ++m) {
    for (Index j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(j);
      expected += beta(m, 0) * k(j, m) * (1.0 / n + a * plane.directions[0][at] + c * plane.directions[1][at]);
    }
  }
  EXPECT_NEAR(affine[0] + a * affine[1] + c * affine[2], expected, 1e-12);
}

TEST(FeaturePlane, RowsAreProjectedToWhereTheyStand) {
  const Samples rows = make_dense(random_matrix(40, 3, 5));
  const FeaturePlane plane = feature_plane(parse_kernel("matern(nu=1.5, lengthscale=2)"), rows, {});
  const auto again = plane.project(rows, {});
  for (std::size_t k = 0; k < 2; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_NEAR(again[k][i], plane.positions[k][i], 1e-10);
      sum += plane.positions[k][i];
    }
    EXPECT_NEAR(sum, 0, 1e-9);
  }
  EXPECT_GE(plane.shares[0], plane.shares[1]);
}

TEST(FeaturePlane, RowsThatAreAlikeSpanNone) {
  const Samples same = make_dense(Matrix<double>::filled(10, 2, 1.5));
  EXPECT_ERROR(feature_plane(parse_kernel("rbf(gamma=1)"), same, {}), NumericalError,
               "the rows span no plane in the kernel's feature space");
  EXPECT_ERROR(feature_plane(parse_kernel("rbf(gamma=1)"), make_dense(random_matrix(2, 2, 6)), {}), NumericalError,
               "a plane needs three rows at least");
}

}  // namespace
}  // namespace mercer
