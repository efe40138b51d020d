#include "mercer/features/kernel_cca.h"

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

// Two views that share one hidden value.
struct Views {
  Matrix<double> x;
  Matrix<double> y;
};

Views shared_value(Index n, std::uint64_t seed) {
  Views views{random_matrix(n, 3, seed), random_matrix(n, 2, seed + 1)};
  const Matrix<double> hidden = random_matrix(n, 1, seed + 2);
  for (Index i = 0; i < n; ++i) {
    views.x(i, 1) += 2 * hidden(i, 0);
    views.y(i, 0) -= hidden(i, 0);
    views.y(i, 1) += 0.5 * views.x(i, 0);
  }
  return views;
}

CenteredRows rows_of(const char* kernel, const Matrix<double>& x) {
  return centered_rows(pivot_coordinates(*gram_of(kernel, x), {}, {}).values.view(), {});
}

// Correlations from the block eigenproblem of the definition, in explicit coordinates.
std::vector<double> classical(const Dense& x, const Dense& y, double kappa_x, double kappa_y) {
  Dense cxx = x.transpose() * x;
  Dense cyy = y.transpose() * y;
  const Dense cxy = x.transpose() * y;
  cxx.add_to_diagonal(kappa_x * cxx.trace());
  cyy.add_to_diagonal(kappa_y * cyy.trace());
  const Dense a = cxx.cholesky().inverse();
  const Dense values = (a * cxy * cyy.solve_positive(cxy.transpose()) * a.transpose()).eigenvalues();
  std::vector<double> result;
  for (Index i = values.rows() - 1; i >= 0; --i) {
    result.push_back(std::sqrt(std::max(0.0, values(i))));
  }
  return result;
}

Dense centered_view(Dense f) {
  for (Index c = 0; c < f.columns(); ++c) {
    f.set_column(c, f.column(c).shifted(-f.column(c).mean()));
  }
  return f / std::sqrt(static_cast<double>(f.rows()));
}

TEST(KernelCca, LinearKernelsGiveClassicalCorrelations) {
  const Views views = shared_value(200, 3);
  const CenteredRows x = rows_of("linear()", views.x);
  const CenteredRows y = rows_of("linear()", views.y);
  for (const double kappa : {1e-12, 0.1, 10.0}) {
    const KernelCca found =
        kernel_cca(x.rows.view(), y.rows.view(),
                   {.components = 5, .regularization = kappa, .target_regularization = kappa / 2}, {});
    const std::vector<double> expected = classical(centered_view(views.x), centered_view(views.y), kappa, kappa / 2);
    ASSERT_EQ(found.correlations.size(), 2U);
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_NEAR(found.correlations[c], expected[c], 1e-9);
      if (kappa < 1e-10) {
        EXPECT_NEAR(found.sample_correlations[c], expected[c], 1e-9);
      }
    }
    // Features of variance 1; those of different components do not correlate without regularisation.
    const Dense u = Dense(x.rows) * Dense(found.x_directions);
    EXPECT_NEAR(u.column(0).squared_norm(), 1, 1e-10);
    EXPECT_NEAR(u.column(1).squared_norm(), 1, 1e-10);
    if (kappa < 1e-10) {
      EXPECT_NEAR(u.column(0).dot(u.column(1)), 0, 1e-9);
    }
  }
}

TEST(KernelCca, FullGramFormulaIsTheSame) {
  // The dual eigenproblem of Hardoon et al.: (K_x² + nε_x K_x)⁻¹ K_x K_y (K_y² + nε_y K_y)⁻¹ K_y K_x on centered_view matrices.
  const Views views = shared_value(25, 9);
  const Dense center = Dense::identity(25).shifted(-1.0 / 25);
  const Dense kx = center * stored(*gram_of("rbf(gamma=0.2)", views.x)) * center;
  const Dense ky = center * stored(*gram_of("rbf(gamma=0.3)", views.y)) * center;
  const double ex = 0.05 * kx.trace() / 25;
  const double ey = 0.02 * ky.trace() / 25;
  // With K = FFᵀ: correlations are singular values of (K_x + nε)^(−1/2) K_x^(1/2) K_y^(1/2) (K_y + nε)^(−1/2).
  const auto half = [](const Dense& k, double ridge) {
    const auto eigen = k.eigen();
    return eigen.vectors * Dense::with_diagonal(eigen.values.map([&](double v) {
             return v > 1e-12 ? std::sqrt(v / (v + ridge)) : 0.0;
           })) *
           eigen.vectors.transpose();
  };
  const Dense m = half(kx, 25 * ex) * half(ky, 25 * ey);
  const Dense squares = (m * m.transpose()).eigenvalues();
  const KernelCca found =
      kernel_cca(rows_of("rbf(gamma=0.2)", views.x).rows.view(), rows_of("rbf(gamma=0.3)", views.y).rows.view(),
                 {.components = 4, .regularization = 0.05, .target_regularization = 0.02}, {});
  for (Index c = 0; c < 4; ++c) {
    EXPECT_NEAR(found.correlations[c], std::sqrt(squares(24 - c)), 1e-6);
  }
}

TEST(KernelCca, FindsWhatLinearCorrelationMisses) {
  Matrix<double> x = random_matrix(300, 1, 12);
  Matrix<double> y = random_matrix(300, 1, 13);
  for (Index i = 0; i < 300; ++i) {
    y(i, 0) = x(i, 0) * x(i, 0) + 0.1 * y(i, 0);
  }
  const auto first = [&](const char* kernel) {
    return kernel_cca(rows_of(kernel, x).rows.view(), rows_of("linear()", y).rows.view(), {}, {})
        .sample_correlations[0];
  };
  EXPECT_LT(first("linear()"), 0.4);
  EXPECT_GT(first("rbf(gamma=0.5)"), 0.95);
}

TEST(KernelCca, DegenerateInputs) {
  const Matrix<double> x = random_matrix(20, 2, 1);
  const Matrix<double> zero = Matrix<double>::filled(20, 2, 0.0);
  EXPECT_ERROR(kernel_cca(x.view(), zero.view(), {.regularization = 0, .target_regularization = 0}, {}), NumericalError,
               "the covariance matrix of a view is singular");
  EXPECT_ERROR(kernel_cca(x.view(), random_matrix(19, 2, 1).view(), {}, {}), InvalidArgument,
               "views of 20 and 19 samples");
  EXPECT_ERROR(kernel_cca(x.view(), x.view(), {.regularization = -1}, {}), InvalidArgument, "regularization = -1");
  EXPECT_ERROR(kernel_cca(x.view(), x.view(), {.components = 0}, {}), InvalidArgument, "components = 0");
  // A view with itself correlates fully.
  const KernelCca same = kernel_cca(x.view(), x.view(), {.regularization = 0, .target_regularization = 0}, {});
  ASSERT_EQ(same.correlations.size(), 2U);
  EXPECT_NEAR(same.correlations[1], 1, 1e-12);
}

}  // namespace
}  // namespace mercer
