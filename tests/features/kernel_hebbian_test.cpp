// The kernel Hebbian algorithm comes to the components of the eigenproblem.
#include "mercer/features/kernel_hebbian.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using feature_test::gram_of;
using feature_test::random_matrix;

Matrix<double> uneven_points(Index rows, std::uint64_t seed) {
  Matrix<double> x = random_matrix(rows, 3, seed);
  for (Index i = 0; i < rows; ++i) {
    x(i, 1) *= 0.5;
    x(i, 2) *= 0.25;
  }
  return x;
}

/// |cos| of the angle between the c-th directions, by their features on all rows (which span the same space).
double agreement(const KernelPca& a, const KernelPca& b, Index c, const std::vector<double>& weights) {
  const Matrix<double> f = training_features(a, weights);
  const Matrix<double> g = training_features(b, weights);
  double fg = 0;
  double ff = 0;
  double gg = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    fg += f(i, c) * g(i, c);
    ff += f(i, c) * f(i, c);
    gg += g(i, c) * g(i, c);
  }
  return std::abs(fg) / std::sqrt(ff * gg);
}

TEST(KernelHebbian, ConvergesToTheExactComponents) {
  for (const FeatureOrigin origin : {FeatureOrigin::mean, FeatureOrigin::zero}) {
    const auto gram = gram_of("rbf(gamma=0.3)", uneven_points(100, 1));
    const KernelPcaOptions options{.components = 3, .origin = origin};
    const KernelPca exact = kernel_pca(*gram, {}, options, {});
    const KernelPca found = kernel_hebbian(*gram, {}, options, {.epochs = 400, .accuracy = 1e-3}, {});
    EXPECT_EQ(found.status, SolveStatus::converged);
    EXPECT_LE(found.residual, 1e-3);
    ASSERT_EQ(found.components(), 3);
    EXPECT_NEAR(found.total_variance, exact.total_variance, 1e-12);
    for (Index c = 0; c < 3; ++c) {
      const auto k = static_cast<std::size_t>(c);
      EXPECT_NEAR(found.variances[k], exact.variances[k], 1e-4 * exact.variances[0]);
      EXPECT_GT(agreement(found, exact, c, {}), 1 - 1e-4);
    }
  }
}

TEST(KernelHebbian, MoreEpochsAreNearer) {
  const auto gram = gram_of("rbf(gamma=0.3)", uneven_points(80, 2));
  const auto residual = [&](Index epochs) {
    const KernelPca pca = kernel_hebbian(*gram, {}, {.components = 2}, {.epochs = epochs, .accuracy = 0}, {});
    EXPECT_EQ(pca.iterations, epochs);
    EXPECT_EQ(pca.status, SolveStatus::iteration_limit);
    return pca.residual;
  };
  const double few = residual(2);
  const double many = residual(300);
  EXPECT_GT(few, 3 * many);
}

TEST(KernelHebbian, WeightsAreRepetitions) {
  const auto gram = gram_of("rbf(gamma=0.3)", uneven_points(60, 3));
  std::vector<double> weights(60, 1.0);
  for (std::size_t i = 0; i < 20; ++i) {
    weights[i] = 4;
  }
  const KernelPca exact = kernel_pca(*gram, weights, {.components = 2}, {});
  const KernelPca found = kernel_hebbian(*gram, weights, {.components = 2}, {.epochs = 400, .accuracy = 1e-3}, {});
  for (Index c = 0; c < 2; ++c) {
    EXPECT_NEAR(found.variances[c], exact.variances[c], 1e-4 * exact.variances[0]);
    EXPECT_GT(agreement(found, exact, c, weights), 1 - 1e-4);
  }
}

TEST(KernelHebbian, DegenerateSamplesAndBadOptions) {
  const auto equal = gram_of("rbf(gamma=1)", Matrix<double>::filled(5, 2, 1.0));
  EXPECT_EQ(kernel_hebbian(*equal, {}, {.components = 2}, {}, {}).components(), 0);
  // Two directions at most, three asked for.
  const auto plane = gram_of("linear()", random_matrix(30, 2, 4));
  EXPECT_EQ(kernel_hebbian(*plane, {}, {.components = 3}, {}, {}).components(), 2);
  EXPECT_ERROR(kernel_hebbian(*plane, {}, {}, {}, {}), InvalidArgument, "components = 0");
  EXPECT_ERROR(kernel_hebbian(*plane, {}, {.components = 1}, {.epochs = 0}, {}), InvalidArgument, "epochs = 0");
  EXPECT_ERROR(kernel_hebbian(*plane, {}, {.components = 1}, {.rate = 0}, {}), InvalidArgument, "rate = 0");
}

}  // namespace
}  // namespace mercer
