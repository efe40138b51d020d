// Scaling finds points with the distances that it was given.
#include "mercer/features/multidimensional_scaling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "mercer/features/kernel_pca.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using feature_test::gram_of;
using feature_test::random_matrix;

Matrix<double> distances_of(const Matrix<double>& x) {
  Matrix<double> distances(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      double sum = 0;
      for (Index c = 0; c < x.columns(); ++c) {
        sum += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
      }
      distances(i, j) = std::sqrt(sum);
    }
  }
  return distances;
}

TEST(MultidimensionalScaling, EuclideanDistancesComeBack) {
  for (const Index d : {1, 2, 5}) {
    const Matrix<double> distances = distances_of(random_matrix(20, d, static_cast<std::uint64_t>(d)));
    const ScaledPoints found = classical_scaling(distances.view(), 0, 1, {});
    ASSERT_EQ(found.points.columns(), d);
    EXPECT_EQ(found.negative, 0);
    const Matrix<double> again = distances_of(found.points);
    double sum = 0;
    for (Index i = 0; i < 20; ++i) {
      for (Index j = 0; j < 20; ++j) {
        EXPECT_NEAR(again(i, j), distances(i, j), 1e-7);
      }
    }
    for (const double value : found.values) {
      sum += value;
    }
    EXPECT_NEAR(sum, found.total, 1e-9 * found.total);
  }
}

TEST(MultidimensionalScaling, PowersUpToOneStayEuclidean) {
  // Points on a line: the square of their distance is not a distance of any points.
  Matrix<double> line(6, 1);
  for (Index i = 0; i < 6; ++i) {
    line(i, 0) = static_cast<double>(i);
  }
  const Matrix<double> distances = distances_of(line);
  for (const double power : {0.25, 0.5, 1.0}) {
    EXPECT_EQ(classical_scaling(distances.view(), 0, power, {}).negative, 0) << power;
  }
  const ScaledPoints squared = classical_scaling(distances.view(), 0, 2, {});
  EXPECT_GT(squared.negative, 0);
  EXPECT_LT(squared.most_negative, 0);
  // At ½ the distances are recovered: |i − j|^½ needs all five dimensions.
  const ScaledPoints root = classical_scaling(distances.view(), 0, 0.5, {});
  EXPECT_EQ(root.points.columns(), 5);
  const Matrix<double> again = distances_of(root.points);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      EXPECT_NEAR(again(i, j), std::sqrt(distances(i, j)), 1e-9);
    }
  }
}

TEST(MultidimensionalScaling, GaussianSimilaritiesAreKernelPca) {
  const Matrix<double> x = random_matrix(15, 3, 4);
  const KernelPca pca = kernel_pca(*gram_of("rbf(gamma=0.7)", x), {}, {.components = 3}, {});
  const Matrix<double> wanted = training_features(pca, {});
  const ScaledPoints found =
      metric_scaling(distances_of(x).view(), [](double r) { return std::exp(-0.7 * r * r); }, 3, {});
  for (Index i = 0; i < 15; ++i) {
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(std::abs(found.points(i, c)), std::abs(wanted(i, c)), 1e-9);
    }
  }
}

TEST(MultidimensionalScaling, RefusesWhatIsNoDissimilarity) {
  Matrix<double> distances = distances_of(random_matrix(4, 2, 5));
  EXPECT_ERROR(classical_scaling(distances.view().block(0, 0, 3, 4), 2, 1, {}), InvalidArgument,
               "dissimilarities of 3 by 4");
  EXPECT_ERROR(classical_scaling(distances.view(), -1, 1, {}), InvalidArgument, "dimensions = -1");
  EXPECT_ERROR(classical_scaling(distances.view(), 2, 0, {}), InvalidArgument, "power = 0");
  distances(1, 2) += 1;
  EXPECT_ERROR(classical_scaling(distances.view(), 2, 1, {}), InvalidArgument, "the dissimilarities of 2 and 1");
  distances(1, 2) = -1;
  EXPECT_ERROR(classical_scaling(distances.view(), 2, 1, {}), InvalidArgument, "the dissimilarity of 1 and 2");
  distances(1, 2) = std::nan("");
  EXPECT_ERROR(classical_scaling(distances.view(), 2, 1, {}), InvalidArgument, "the dissimilarity of 1 and 2");
  EXPECT_EQ(classical_scaling(Matrix<double>::filled(3, 3, 0.0).view(), 2, 1, {}).points.columns(), 0);
}

}  // namespace
}  // namespace mercer
