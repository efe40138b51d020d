// Densities from uncentred kernel PCA: with all components the Parzen windows, with fewer their projection.
#include "mercer/features/kernel_pca_density.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using feature_test::gram_of;
using feature_test::random_matrix;
using feature_test::stored;

// A Gaussian window of width σ in one dimension, integral 1.
std::string window(double sigma) {
  return std::to_string(1 / (sigma * std::sqrt(2 * std::numbers::pi))) + "*rbf(lengthscale=" + std::to_string(sigma) +
         ")";
}

TEST(KernelPcaDensity, AllComponentsAreParzenWindows) {
  const auto gram = gram_of(window(0.1).c_str(), random_matrix(12, 1, 1));
  for (const std::vector<double>& weights : {std::vector<double>{}, {1, 2, 1, 1, 3, 1, 1, 1, 1, 1, 2, 1}}) {
    const KernelPca pca = kernel_pca(*gram, weights, {.origin = FeatureOrigin::zero, .tolerance = 1e-13}, {});
    ASSERT_EQ(pca.components(), 12);
    const std::vector<double> beta = kernel_pca_density(pca, weights);
    const double total = weights.empty() ? 12 : 16;
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(beta[i], (weights.empty() ? 1 : weights[i]) / total, 1e-9);
    }
  }
}

TEST(KernelPcaDensity, FewerComponentsProjectTheMean) {
  const auto gram = gram_of(window(0.5).c_str(), random_matrix(30, 1, 2));
  const auto k = stored(*gram);
  double before = 1e300;
  for (const Index q : {1, 2, 4, 8}) {
    const KernelPca pca = kernel_pca(*gram, {}, {.components = q, .origin = FeatureOrigin::zero}, {});
    const std::vector<double> beta = kernel_pca_density(pca, {});
    // p_q(x_t) = Σ_c κ_c mean(α_c) ⟨v_c, Φ(x_t)⟩, written out.
    for (Index t = 0; t < 30; ++t) {
      double direct = 0;
      double expansion = 0;
      for (Index c = 0; c < q; ++c) {
        double mean = 0;
        double feature = 0;
        for (Index i = 0; i < 30; ++i) {
          mean += pca.coefficients(i, c) / 30;
          feature += pca.coefficients(i, c) * k(i, t);
        }
        direct += 30 * pca.variances[c] * mean * feature;
      }
      for (Index i = 0; i < 30; ++i) {
        expansion += beta[i] * k(i, t);
      }
      EXPECT_NEAR(expansion, direct, 1e-10);
    }
    // ‖p_q − p‖² in the kernel's space falls with q.
    double distance = 0;
    for (Index i = 0; i < 30; ++i) {
      for (Index j = 0; j < 30; ++j) {
        distance += (beta[i] - 1.0 / 30) * (beta[j] - 1.0 / 30) * k(i, j);
      }
    }
    EXPECT_LE(distance, before + 1e-12);
    before = distance;
  }
}

TEST(KernelPcaDensity, RefusesCenteredComponents) {
  const auto gram = gram_of("rbf(gamma=1)", random_matrix(5, 1, 3));
  EXPECT_ERROR(kernel_pca_density(kernel_pca(*gram, {}, {}, {}), {}), InvalidArgument,
               "a density from centred components");
}

}  // namespace
}  // namespace mercer
