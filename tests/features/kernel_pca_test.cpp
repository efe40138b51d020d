// Kernel PCA against closed forms, a centred eigenproblem written out, and itself with other methods and weights.
#include "mercer/features/kernel_pca.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using feature_test::Dense;
using feature_test::gram_of;
using feature_test::random_matrix;
using feature_test::repeated;
using feature_test::stored;

Matrix<double> column(const std::vector<double>& values) {
  Matrix<double> x(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

Dense centered(const Dense& k, const std::vector<double>& weights = {}) {
  const Index n = k.rows();
  Dense share(n, 1, 1.0 / static_cast<double>(n));
  double total = 0;
  for (const double w : weights) {
    total += w;
  }
  for (Index i = 0; i < n && !weights.empty(); ++i) {
    share(i) = weights[i] / total;
  }
  const Dense h = Dense::identity(n) - Dense(n, 1, 1.0) * share.transpose();
  return h * k * h.transpose();
}

/// Features of all rows by their definition: centres' kernel values and offsets.
Dense principal_features_of(const KernelPca& pca, const Dense& k) {
  Dense values(k.rows(), pca.components());
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index c = 0; c < pca.components(); ++c) {
      double sum = pca.offsets[c];
      for (std::size_t z = 0; z < pca.rows.size(); ++z) {
        sum += pca.coefficients(static_cast<Index>(z), c) * k(i, pca.rows[z]);
      }
      values(i, c) = sum;
    }
  }
  return values;
}

/// The largest difference of two sets of features, each column turned to fit.
double difference_up_to_sign(const Dense& a, const Dense& b) {
  double largest = 0;
  for (Index c = 0; c < a.columns(); ++c) {
    const double sign = a.column(c).dot(b.column(c)) < 0 ? -1 : 1;
    largest = std::max(largest, (a.column(c) - sign * b.column(c)).max_abs());
  }
  return largest;
}

TEST(KernelPca, ThreePointsOfASquareAreTheKnownOnes) {
  const auto gram = gram_of("poly(degree=2, gamma=1, coef0=0)", column({-1, 0, 1}));
  const KernelPca pca = kernel_pca(*gram, {}, {}, {});
  ASSERT_EQ(pca.components(), 1);
  EXPECT_NEAR(pca.variances[0], 2.0 / 9, 1e-15);
  EXPECT_NEAR(pca.total_variance, 2.0 / 9, 1e-15);
  const Dense features = principal_features_of(pca, stored(*gram));
  // κ = 2/3, scores ±(1/3, −2/3, 1/3); the entry of largest size is positive.
  EXPECT_NEAR(features(0, 0), -1.0 / 3, 1e-15);
  EXPECT_NEAR(features(1, 0), 2.0 / 3, 1e-15);
  EXPECT_NEAR(features(2, 0), -1.0 / 3, 1e-15);
}

TEST(KernelPca, SixPointsHaveTheKnownVariances) {
  const auto gram = gram_of("rbf(gamma=2)", column({-1, -.9, 0, .2, 1, 1.3}));
  const KernelPca pca = kernel_pca(*gram, {}, {}, {});
  const std::vector<double> known = {.3212273095, .2634443402, .0289505804, .0088224184, .0023124374};
  ASSERT_EQ(pca.variances.size(), known.size());
  for (std::size_t c = 0; c < known.size(); ++c) {
    EXPECT_NEAR(pca.variances[c], known[c], 5e-11);
  }
}

TEST(KernelPca, DirectionsAreOrthonormalAndFeaturesUncorrelated) {
  for (const FeatureOrigin origin : {FeatureOrigin::mean, FeatureOrigin::zero}) {
    const auto gram = gram_of("rbf(gamma=0.3)", random_matrix(40, 3, 1));
    const Dense k = stored(*gram);
    const Dense used = origin == FeatureOrigin::mean ? centered(k) : k;
    const KernelPca pca = kernel_pca(*gram, {}, {.origin = origin}, {});
    ASSERT_GE(pca.components(), 30);
    const Dense alpha(pca.coefficients.view());
    EXPECT_LT((alpha.transpose() * used * alpha - Dense::identity(pca.components())).max_abs(), 1e-6);
    const Dense features = principal_features_of(pca, k);
    EXPECT_LT((features - Dense(training_features(pca, {}))).max_abs(), 1e-7);
    Dense covariance = features.transpose() * features / 40.0;
    double sum = 0;
    for (Index c = 0; c < pca.components(); ++c) {
      EXPECT_NEAR(covariance(c, c), pca.variances[c], 1e-9);
      covariance(c, c) = 0;
      sum += pca.variances[c];
    }
    EXPECT_LT(covariance.max_abs(), 1e-9);
    EXPECT_NEAR(pca.total_variance, used.trace() / 40, 1e-12);
    EXPECT_NEAR(sum, pca.total_variance, 1e-6);
    for (Index c = 0; c < pca.components() && origin == FeatureOrigin::mean; ++c) {
      EXPECT_NEAR(alpha.column(c).sum(), 0, 1e-9 * alpha.column(c).norm());
    }
  }
}

// The components share what the positive eigenvalues sum to; the trace lacks what the negative ones take away.
TEST(KernelPca, VariancesOfAnIndefiniteKernelAreSharesOfThePositivePart) {
  const Matrix<double> x = random_matrix(40, 3, 9);
  const auto gram = gram_of("sigmoid(gamma=1, coef0=-0.5)", x);
  const KernelPca pca = kernel_pca(*gram, {}, {}, {});
  ASSERT_GT(pca.negative, 3);
  const Dense values = centered(stored(*gram)).eigenvalues();
  double positive = 0;
  for (Index i = 0; i < 40; ++i) {
    positive += std::max(values(i), 0.0) / 40;
  }
  EXPECT_NEAR(pca.total_variance, positive, 1e-7 * positive);  // eigenvalues below 1e-9 of the largest are none
  EXPECT_GT(pca.total_variance, 1.01 * centered(stored(*gram)).trace() / 40);
  double explained = 0;
  for (const double variance : pca.variances) {
    explained += variance;
  }
  EXPECT_LE(explained, pca.total_variance * (1 + 1e-12));
}

TEST(KernelPca, LinearKernelIsPca) {
  const Matrix<double> x = random_matrix(50, 4, 2);
  const auto gram = gram_of("linear()", x);
  const KernelPca pca = kernel_pca(*gram, {}, {}, {});
  ASSERT_EQ(pca.components(), 4);
  Dense rows(x.view());
  for (Index j = 0; j < 4; ++j) {
    rows.set_column(j, rows.column(j).shifted(-rows.column(j).mean()));
  }
  const auto eigen = (rows.transpose() * rows / 50.0).eigen();
  Dense scores(50, 4);
  for (Index c = 0; c < 4; ++c) {
    EXPECT_NEAR(pca.variances[c], eigen.values(3 - c), 1e-12);
    scores.set_column(c, rows * eigen.vectors.column(3 - c));
  }
  EXPECT_LT(difference_up_to_sign(principal_features_of(pca, stored(*gram)), scores), 1e-11);
}

TEST(KernelPca, NegativeSquaredDistanceIsPcaTwice) {
  const Matrix<double> x = random_matrix(30, 3, 3);
  const KernelPca linear = kernel_pca(*gram_of("linear()", x), {}, {}, {});
  const auto gram = gram_of("negative_distance(beta=2)", x);
  const KernelPca conditional = kernel_pca(*gram, {}, {}, {});
  ASSERT_EQ(conditional.components(), 3);
  EXPECT_EQ(conditional.negative, 0);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(conditional.variances[c], 2 * linear.variances[c], 1e-11);
  }
  const KernelPca pivoted = pivoted_kernel_pca(*gram, {}, 30, {}, {});
  const Dense k = stored(*gram);
  EXPECT_LT(difference_up_to_sign(principal_features_of(pivoted, k), principal_features_of(conditional, k)), 1e-9);
}

TEST(KernelPca, QuadraticKernelIsPcaOfProducts) {
  const Matrix<double> x = random_matrix(25, 2, 4);
  const auto gram = gram_of("poly(degree=2, gamma=1, coef0=1)", x);
  Matrix<double> map(25, 6);
  for (Index i = 0; i < 25; ++i) {
    const double a = x(i, 0);
    const double b = x(i, 1);
    const double root = std::sqrt(2.0);
    const double row[6] = {1, root * a, root * b, a * a, b * b, root * a * b};
    std::copy_n(row, 6, map.view().row_data(i));
  }
  const auto explicit_gram = gram_of("linear()", map);
  const KernelPca pca = kernel_pca(*gram, {}, {}, {});
  const KernelPca products = kernel_pca(*explicit_gram, {}, {}, {});
  ASSERT_EQ(pca.components(), 5);
  ASSERT_EQ(products.components(), 5);
  EXPECT_LT(difference_up_to_sign(principal_features_of(pca, stored(*gram)),
                                  principal_features_of(products, stored(*explicit_gram))),
            1e-10);
}

TEST(KernelPca, MovedInputsAndAddedConstantsChangeNothing) {
  const Matrix<double> x = random_matrix(20, 3, 5);
  Matrix<double> moved = Matrix<double>::copy_of(x.view());
  for (Index i = 0; i < 60; ++i) {
    moved.data()[i] += 7;
  }
  const auto gram = gram_of("rbf(gamma=0.5)", x);
  const auto shifted = gram_of("rbf(gamma=0.5) + constant(value=3)", moved);
  const KernelPca a = kernel_pca(*gram, {}, {.components = 4}, {});
  const KernelPca b = kernel_pca(*shifted, {}, {.components = 4}, {});
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(a.variances[c], b.variances[c], 1e-12);
  }
  EXPECT_LT(difference_up_to_sign(principal_features_of(a, stored(*gram)), principal_features_of(b, stored(*shifted))),
            1e-9);
}

TEST(KernelPca, AWeightIsSoManyRepetitions) {
  const Matrix<double> x = random_matrix(15, 2, 6);
  const std::vector<double> weights = {1, 3, 1, 2, 1, 1, 4, 1, 1, 2, 1, 1, 1, 1, 1};
  const auto gram = gram_of("rbf(gamma=0.4)", x);
  const Matrix<double> many = repeated(x, weights);
  const auto gram_of_many = gram_of("rbf(gamma=0.4)", many);
  for (const FeatureOrigin origin : {FeatureOrigin::mean, FeatureOrigin::zero}) {
    const KernelPcaOptions options{.components = 5, .origin = origin};
    const KernelPca weighted = kernel_pca(*gram, weights, options, {});
    const KernelPca plain = kernel_pca(*gram_of_many, {}, options, {});
    const KernelPca leading = leading_kernel_pca<double>(*gram, weights, options, {});
    const KernelPca pivoted = pivoted_kernel_pca(*gram, weights, 15, options, {});
    EXPECT_NEAR(weighted.total_variance, plain.total_variance, 1e-12);
    EXPECT_NEAR(pivoted.total_variance, plain.total_variance, 1e-9);
    EXPECT_NEAR(weighted.mean_norm, plain.mean_norm, 1e-12);
    const Dense k = stored(*gram);
    const Dense features = principal_features_of(weighted, k);
    const Dense repeated_features = principal_features_of(plain, stored(*gram_of_many));
    Dense picked(15, 5);
    for (Index i = 0, at = 0; i < 15; at += static_cast<Index>(weights[i]), ++i) {
      picked.set_row(i, repeated_features.row(at));
    }
    EXPECT_LT(difference_up_to_sign(features, picked), 1e-9);
    EXPECT_LT(difference_up_to_sign(features, principal_features_of(leading, k)), 1e-6);
    EXPECT_LT(difference_up_to_sign(features, principal_features_of(pivoted, k)), 1e-7);
    for (std::size_t c = 0; c < 5; ++c) {
      EXPECT_NEAR(weighted.variances[c], plain.variances[c], 1e-12);
      EXPECT_NEAR(leading.variances[c], plain.variances[c], 1e-10);
      EXPECT_NEAR(pivoted.variances[c], plain.variances[c], 1e-9);
    }
    EXPECT_LT((features - Dense(training_features(weighted, weights))).max_abs(), 1e-9);
  }
}

TEST(KernelPca, NoVariationMeansNoComponents) {
  const KernelPca one = kernel_pca(*gram_of("rbf(gamma=1)", random_matrix(1, 2, 7)), {}, {}, {});
  EXPECT_EQ(one.components(), 0);
  const Matrix<double> equal = Matrix<double>::filled(9, 2, 0.3);
  const auto gram = gram_of("rbf(gamma=1)", equal);
  EXPECT_EQ(kernel_pca(*gram, {}, {}, {}).components(), 0);
  EXPECT_EQ(leading_kernel_pca<double>(*gram, {}, {.components = 3}, {}).components(), 0);
  EXPECT_EQ(pivoted_kernel_pca(*gram, {}, 5, {}, {}).components(), 0);
  EXPECT_EQ(kernel_pca(*gram, {}, {.origin = FeatureOrigin::zero}, {}).components(), 1);
  EXPECT_EQ(kernel_pca(*gram_of("rbf(gamma=1)", Matrix<double>(0, 2)), {}, {}, {}).components(), 0);
}

TEST(KernelPca, NegativeEigenvaluesAreDroppedAndCounted) {
  const Matrix<double> basis = Dense(random_matrix(6, 6, 8)).orthogonal_factor().matrix();
  const Dense q(basis);
  const Dense k = q * Dense::with_diagonal(Dense(std::vector<double>{5, 3, 1, -0.5, -2, 1e-14})) * q.transpose();
  const DenseGram<double> gram(k.matrix());
  const KernelPca pca = kernel_pca(gram, {}, {.origin = FeatureOrigin::zero}, {});
  ASSERT_EQ(pca.components(), 3);
  EXPECT_EQ(pca.negative, 2);
  EXPECT_NEAR(pca.most_negative, -2.0 / 6, 1e-12);
  EXPECT_NEAR(pca.variances[2], 1.0 / 6, 1e-12);
}

TEST(KernelPca, LeadingComponentsAreTheExactOnes) {
  Matrix<double> x = random_matrix(500, 6, 9);
  for (Index i = 0; i < 500; ++i) {
    for (Index j = 0; j < 6; ++j) {
      x(i, j) *= std::pow(0.6, static_cast<double>(j));
    }
  }
  const auto gram = gram_of("rbf(gamma=0.4)", x);
  const auto prepared = std::make_shared<const PreparedKernel>(parse_kernel("rbf(gamma=0.4)"),
                                                               make_dense(Matrix<double>::copy_of(x.view())),
                                                               Precision::single_precision, mercer::Run());
  const Dense k = stored(*gram);
  const auto eigen = centered(k).eigen();
  const KernelPcaOptions options{.components = 6};
  const KernelPca full = leading_kernel_pca<double>(*gram, {}, options, {});
  const KernelPca single = leading_kernel_pca<float>(KernelGram<float>(prepared), {}, options, {});
  EXPECT_EQ(full.status, SolveStatus::converged);
  EXPECT_EQ(single.status, SolveStatus::converged);
  EXPECT_LE(single.residual, 1e-4);
  EXPECT_LT(single.iterations, 8);
  ASSERT_EQ(full.components(), 6);
  ASSERT_EQ(single.components(), 6);
  Dense scores(500, 6);
  for (Index c = 0; c < 6; ++c) {
    const double kappa = eigen.values(499 - c);
    EXPECT_NEAR(full.variances[c] * 500, kappa, 1e-11 * eigen.values(499));
    EXPECT_NEAR(single.variances[c] * 500, kappa, 2e-6 * eigen.values(499));
    scores.set_column(c, std::sqrt(kappa) * eigen.vectors.column(499 - c));
  }
  EXPECT_LT(difference_up_to_sign(principal_features_of(full, k), scores), 1e-6);
  EXPECT_LT(difference_up_to_sign(principal_features_of(single, k), scores), 5e-3);
  EXPECT_NEAR(single.total_variance, centered(k).trace() / 500, 1e-6);
}

TEST(KernelPca, PivotsLeaveOutLessAndLess) {
  const auto gram = gram_of("rbf(gamma=0.2)", random_matrix(120, 3, 10));
  const Dense k = stored(*gram);
  const KernelPca exact = kernel_pca(*gram, {}, {.components = 3}, {});
  const Dense scores = principal_features_of(exact, k);
  double before = 1e300;
  for (const Index rank : {10, 25, 60, 120}) {
    const KernelPca pca = pivoted_kernel_pca(*gram, {}, rank, {.components = 3}, {});
    EXPECT_LE(static_cast<Index>(pca.rows.size()), rank + 1);
    EXPECT_GE(pca.total_variance, exact.total_variance - 1e-9);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_LE(pca.variances[c], exact.variances[c] + 1e-12);
    }
    const double distance = difference_up_to_sign(principal_features_of(pca, k), scores);
    EXPECT_LT(distance, before);
    before = distance;
  }
  EXPECT_LT(before, 1e-6);
}

TEST(KernelPca, AnyNumberOfThreadsGivesTheSameBits) {
  const auto gram = gram_of("rbf(gamma=0.2)", random_matrix(600, 3, 11));
  const auto coefficients = [&](int threads, auto method) {
    const mercer::Run run{{.threads = threads, .seed = 3}};
    return method(run);
  };
  const auto same = [](const KernelPca& a, const KernelPca& b) {
    return a.offsets == b.offsets && testing::same_bits(a.coefficients, b.coefficients);
  };
  const auto leading = [&](const mercer::Run& run) {
    return leading_kernel_pca<double>(*gram, {}, {.components = 4}, run);
  };
  const auto pivoted = [&](const mercer::Run& run) {
    return pivoted_kernel_pca(*gram, {}, 50, {.components = 4}, run);
  };
  const auto exact = [&](const mercer::Run& run) { return kernel_pca(*gram, {}, {.components = 4}, run); };
  EXPECT_TRUE(same(coefficients(1, leading), coefficients(3, leading)));
  EXPECT_TRUE(same(coefficients(1, pivoted), coefficients(3, pivoted)));
  EXPECT_TRUE(same(coefficients(1, exact), coefficients(2, exact)));
}

TEST(KernelPca, RefusesWhatDoesNotFit) {
  const auto gram = gram_of("rbf(gamma=1)", random_matrix(4, 2, 12));
  const std::vector<double> few = {1, 1};
  const std::vector<double> zero = {1, 1, 0, 1};
  EXPECT_ERROR(kernel_pca(*gram, few, {}, {}), InvalidArgument, "2 weights for a Gram matrix of size 4");
  EXPECT_ERROR(kernel_pca(*gram, zero, {}, {}), InvalidArgument, "weight = 0");
  EXPECT_ERROR(kernel_pca(*gram, {}, {.components = -1}, {}), InvalidArgument, "components = -1");
  EXPECT_ERROR(kernel_pca(*gram, {}, {.tolerance = -1}, {}), InvalidArgument, "tolerance = -1");
  EXPECT_ERROR(leading_kernel_pca<double>(*gram, {}, {}, {}), InvalidArgument, "components = 0");
  EXPECT_ERROR(pivoted_kernel_pca(*gram, {}, 0, {}, {}), InvalidArgument, "rank = 0");
  std::stop_source source;
  source.request_stop();
  const mercer::Run stopped{{.stop = source.get_token()}};
  EXPECT_ERROR(leading_kernel_pca<double>(*gram, {}, {.components = 2}, stopped), Stopped, "stopped on request");
}

}  // namespace
}  // namespace mercer
