#include "mercer/features/oriented_pca.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "mercer/features/pivot_coordinates.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using feature_test::Dense;
using feature_test::gram_of;
using feature_test::random_matrix;
using feature_test::stored;

// (x'z)² = ⟨φ(x), φ(z)⟩.
Dense quadratic_features(const Dense& x) {
  Dense f(x.rows(), 3);
  for (Index i = 0; i < x.rows(); ++i) {
    f(i, 0) = x(i, 0) * x(i, 0);
    f(i, 1) = std::sqrt(2.0) * x(i, 0) * x(i, 1);
    f(i, 2) = x(i, 1) * x(i, 1);
  }
  return f;
}

Dense centered_signals(Dense f) {
  for (Index c = 0; c < f.columns(); ++c) {
    f.set_column(c, f.column(c).shifted(-f.column(c).mean()));
  }
  return f;
}

Dense rotated(const Dense& x, double angle) {
  Dense y = x;
  for (Index i = 0; i < x.rows(); ++i) {
    y(i, 0) = std::cos(angle) * x(i, 0) - std::sin(angle) * x(i, 1);
    y(i, 1) = std::sin(angle) * x(i, 0) + std::cos(angle) * x(i, 1);
  }
  return y;
}

// Ratios of the generalised problem in explicit coordinates, falling.
std::vector<double> ratios(const Dense& c, const Dense& t, double epsilon) {
  Dense b = t;
  b.add_to_diagonal(epsilon * c.trace());
  const Dense inverse = b.cholesky().inverse();
  const Dense values = (inverse * c * inverse.transpose()).eigenvalues();
  std::vector<double> result;
  for (Index i = values.rows() - 1; i >= 0; --i) {
    result.push_back(values(i));
  }
  return result;
}

TEST(OrientedPca, InnerProductsAreEnough) {
  const Dense x = random_matrix(30, 2, 1);
  const Dense f = quadratic_features(x);
  const Dense delta = quadratic_features(rotated(x, 0.1)) - f;
  const Dense c = centered_signals(f).transpose() * centered_signals(f) / 30;
  const Dense t = delta.transpose() * delta / 30;
  OrientedPcaOptions options;
  options.components = 3;
  options.regularization = 1e-4;
  const OrientedPca found = oriented_pca((f * f.transpose()).matrix().view(), (f * delta.transpose()).matrix().view(),
                                         (delta * delta.transpose()).matrix().view(), options, {});
  const std::vector<double> expected = ratios(c, t, 1e-4);
  ASSERT_EQ(found.ratios.size(), 3U);
  const Dense v = centered_signals(f).transpose() * Dense(found.sample_coefficients) +
                  delta.transpose() * Dense(found.tangent_coefficients);
  Dense b = t;
  b.add_to_diagonal(1e-4 * c.trace());
  for (Index k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.ratios[k] / expected[k], 1, 1e-8);
    const Dense direction = v.column(k);
    EXPECT_NEAR(direction.norm(), 1, 1e-8);
    // C v = ratio (T + ε1) v.
    EXPECT_LT((c * direction - found.ratios[k] * (b * direction)).norm(), 1e-7);
  }
  // Rotations mean nothing: the first direction is the squared length x₁² + x₂².
  EXPECT_NEAR(std::abs(v(0, 0)), std::sqrt(0.5), 0.05);
  EXPECT_NEAR(v(0, 0), v(2, 0), 0.05);
}

TEST(OrientedPca, TransformationsThatDoNothingLeaveKernelPca) {
  const Matrix<double> x = random_matrix(25, 3, 2);
  const Dense k = stored(*gram_of("rbf(gamma=0.3)", x));
  const Dense center = Dense::identity(25).shifted(-1.0 / 25);
  const auto eigen = (center * k * center).eigen();
  OrientedPcaOptions options;
  options.components = 5;
  options.regularization = 0.5;
  const Matrix<double> none = Matrix<double>::filled(25, 25, 0.0);
  const OrientedPca found = oriented_pca(k.matrix().view(), none.view(), none.view(), options, {});
  ASSERT_EQ(found.ratios.size(), 5U);
  const double trace = (center * k * center).trace() / 25;
  for (Index c = 0; c < 5; ++c) {
    const double kappa = eigen.values(24 - c);
    EXPECT_NEAR(found.ratios[c], kappa / 25 / (0.5 * trace), 1e-10);
    // Scores are those of kernel PCA, √κ u, up to sign.
    const Dense scores = center * k * center * Dense(found.sample_coefficients).column(c);
    EXPECT_NEAR(std::abs(scores.dot(eigen.vectors.column(24 - c))), std::sqrt(kappa), 1e-9);
    EXPECT_NEAR(scores.norm(), std::sqrt(kappa), 1e-9);
  }
}

TEST(OrientedPca, WithinGroupsIsHalfTheMeanSquareOfDifferences) {
  const Dense f = random_matrix(12, 3, 3);
  std::vector<Index> groups;
  for (Index i = 0; i < 12; ++i) {
    groups.push_back(i % 3);
  }
  const Dense within = within_groups(f.matrix().view(), {}, groups, {});
  Dense sum(3, 3);
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 12; ++j) {
      if (i % 3 == j % 3) {
        const Dense difference = f.row(i) - f.row(j);
        sum += difference.transpose() * difference / (2.0 * 4 * 12);
      }
    }
  }
  EXPECT_LT((within - sum).max_abs(), 1e-14);
  // Whole weights are repetitions.
  std::vector<double> weights;
  std::vector<Index> repeated_groups;
  for (Index i = 0; i < 12; ++i) {
    weights.push_back(static_cast<double>(1 + i % 2));
    for (int w = 0; w < 1 + i % 2; ++w) {
      repeated_groups.push_back(groups[i]);
    }
  }
  const Dense weighted = within_groups(f.matrix().view(), weights, groups, {});
  const Dense many = within_groups(feature_test::repeated(f.matrix(), weights).view(), {}, repeated_groups, {});
  EXPECT_LT((weighted - many).max_abs(), 1e-14);
}

TEST(OrientedPca, DegenerateInputs) {
  const Matrix<double> zero = Matrix<double>::filled(3, 3, 0.0);
  EXPECT_TRUE(oriented_directions(zero.view(), zero.view(), {}, {}).ratios.empty());
  const Matrix<double> ones = Matrix<double>::filled(4, 4, 1.0);
  const Matrix<double> nothing(4, 0);
  EXPECT_TRUE(oriented_pca(ones.view(), nothing.view(), Matrix<double>(0, 0).view(), {}, {}).ratios.empty());
  OrientedPcaOptions options;
  options.regularization = 0;
  EXPECT_ERROR(oriented_directions(ones.view(), ones.view(), options, {}), InvalidArgument, "regularization = 0");
  EXPECT_ERROR(oriented_directions(ones.view(), zero.view(), {}, {}), InvalidArgument,
               "the noise covariance matrix is 3 by 3");
  EXPECT_ERROR(oriented_pca(ones.view(), zero.view(), zero.view(), {}, {}), InvalidArgument,
               "products of 3 samples with 3 tangents");
}

TEST(PivotCoordinates, AreTheGramMatrixAndFunctionsOfThePivots) {
  const Matrix<double> x = random_matrix(60, 2, 4);
  const auto gram = gram_of("rbf(gamma=0.5)", x);
  const Dense k = stored(*gram);
  const PivotCoordinates all = pivot_coordinates(*gram, {.max_rank = 60, .tolerance = 1e-13}, {});
  const Dense f = all.values;
  EXPECT_LT((f * f.transpose() - k).max_abs(), 1e-11);
  // Directions as functions: K(:, pivots) G⁻ᵀ B = F B.
  const Matrix<double> b = random_matrix(all.rank(), 3, 5);
  std::vector<Index> every;
  for (Index i = 0; i < 60; ++i) {
    every.push_back(i);
  }
  const Dense values = k.picked(every, all.pivots) * Dense(all.coefficients(b.view()));
  EXPECT_LT((values - f * Dense(b)).max_abs(), 1e-7);
  const PivotCoordinates few = pivot_coordinates(*gram, {.max_rank = 5, .tolerance = 0}, {});
  EXPECT_EQ(few.rank(), 5);
  EXPECT_NEAR(few.left_out, 1 - Dense(few.values).squared_norm() / k.trace(), 1e-12);
}

TEST(PivotCoordinates, GeneralizedEigen) {
  const Dense x = random_matrix(20, 4, 6);
  const Dense y = random_matrix(20, 4, 7);
  const Dense a = x.transpose() * x;
  const Dense b = y.transpose() * y;
  const GeneralizedEigen found = generalized_eigen(a.matrix().view(), b.matrix().view(), 3, {});
  ASSERT_EQ(found.values.size(), 3U);
  const Dense v = found.vectors;
  for (Index c = 0; c < 3; ++c) {
    EXPECT_LT((a * v.column(c) - found.values[c] * (b * v.column(c))).norm(), 1e-10);
    EXPECT_NEAR((v.column(c).transpose() * b * v.column(c))(0), 1, 1e-12);
  }
  EXPECT_GT(found.values[0], found.values[1]);
}

}  // namespace
}  // namespace mercer
