#include "mercer/features/sparse_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using feature_test::Dense;
using feature_test::gram_of;
using feature_test::random_matrix;
using feature_test::stored;
using feature_test::variance_of;

std::vector<double> column_of(const Dense& k, Index j) {
  std::vector<double> values;
  for (Index i = 0; i < k.rows(); ++i) {
    values.push_back(k(i, j));
  }
  return values;
}

struct GreedyPath {
  std::vector<Index> chosen;
  std::vector<double> variances;
};

// By the definition: the whole residual is stored and every column is looked at.
GreedyPath brute_force(Dense k, Index features) {
  GreedyPath path;
  const double largest = k.diagonal().max();
  while (static_cast<Index>(path.chosen.size()) < features) {
    Index best = -1;
    double best_variance = -1;
    for (Index j = 0; j < k.rows(); ++j) {
      const double variance = variance_of(column_of(k, j));
      if (k(j, j) > 1e-10 * largest && variance > best_variance * (1 + 1e-11)) {
        best = j;
        best_variance = variance;
      }
    }
    if (best < 0) {
      break;
    }
    path.chosen.push_back(best);
    path.variances.push_back(best_variance);
    k -= k.column(best) * k.row(best) / k(best, best);
  }
  return path;
}

// f_c(x_i) on the sample, from the coefficients alone.
Dense outputs_of(const SparseFeatures& found, const Dense& k) {
  Dense columns(k.rows(), static_cast<Index>(found.chosen.size()));
  for (Index c = 0; c < columns.columns(); ++c) {
    columns.set_column(c, k.column(found.chosen[c]));
  }
  return columns * Dense(found.coefficients);
}

Matrix<double> golden_points() {
  Matrix<double> x(6, 1);
  const double values[] = {-1, -0.9, 0, 0.2, 1, 1.3};
  std::copy(std::begin(values), std::end(values), x.data());
  return x;
}

void expect_golden(const SparseFeatures& found) {
  EXPECT_EQ(found.chosen, (std::vector<Index>{0, 2, 5, 4}));
  const std::vector<double> variances = {0.1993284785, 0.1780306575, 0.1831637303, 0.0117161445};
  ASSERT_EQ(found.variances.size(), 4U);
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(found.variances[c], variances[c], 5e-11);
  }
}

TEST(SparseFeatures, GreedyPathOfSixPoints) {
  const auto gram = gram_of("rbf(gamma=2)", golden_points());
  SparseFeatureOptions options;
  options.features = 4;
  expect_golden(sparse_features(*gram, {}, options, {}));
  // Random candidates that are all of them, and sums that may stop early but cannot on six points.
  options.candidates = 6;
  expect_golden(sparse_features(*gram, {}, options, {}));
  options.confidence = 0.95;
  expect_golden(sparse_features(*gram, {}, options, {}));
}

TEST(SparseFeatures, SearchIsTheDefinition) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Index n = 15 + 20 * static_cast<Index>(seed);
    const auto gram = gram_of("rbf(gamma=0.3)", random_matrix(n, 3, seed));
    const GreedyPath path = brute_force(stored(*gram), 8);
    SparseFeatureOptions options;
    options.features = 8;
    for (const Index candidates : {Index{0}, n}) {
      options.candidates = candidates;
      const SparseFeatures found = sparse_features(*gram, {}, options, {});
      EXPECT_EQ(found.chosen, path.chosen);
      for (std::size_t c = 0; c < path.variances.size(); ++c) {
        EXPECT_NEAR(found.variances[c], path.variances[c], 1e-12);
      }
    }
  }
}

TEST(SparseFeatures, CoefficientsGiveOrthogonalDirectionsOfTheirVariance) {
  const auto gram = gram_of("rbf(gamma=0.3) + 0.2*linear()", random_matrix(40, 2, 5));
  const Dense k = stored(*gram);
  for (const SparseFeatureMode mode : {SparseFeatureMode::projection, SparseFeatureMode::normalized}) {
    SparseFeatureOptions options;
    options.features = 12;
    options.mode = mode;
    const SparseFeatures found = sparse_features(*gram, {}, options, {});
    ASSERT_EQ(found.chosen.size(), 12U);
    const Dense f = outputs_of(found, k);
    const Dense a = found.coefficients;
    const Dense inner = a.transpose() * k.picked(found.chosen, found.chosen) * a;
    for (Index c = 0; c < 12; ++c) {
      EXPECT_NEAR(variance_of(column_of(f, c)), found.variances[c], 1e-10);
      EXPECT_NEAR(inner(c, c), std::pow(found.norms[c], 2), 1e-10);
      for (Index r = 0; r < c; ++r) {
        EXPECT_NEAR(inner(r, c), 0, 1e-10);
        EXPECT_NEAR(f(found.chosen[r], c), 0, 1e-9);  // f_c(x_{j_r}) = 0 for r < c
        EXPECT_EQ(a(c, r), 0);                        // p features, p kernel values
      }
      // The recursion of the definition starts from the chosen sample itself.
      double sum = 0;
      for (Index r = 0; r <= c; ++r) {
        sum += std::abs(a(r, c));
      }
      if (mode == SparseFeatureMode::projection) {
        EXPECT_NEAR(a(c, c), 1, 1e-12);
      } else {
        EXPECT_NEAR(sum, 1, 1e-10);  // ℓ1 norm of the coefficients
      }
    }
  }
}

// Of all candidates, each projected and scaled to coefficients of norm 1, the variance of the chosen one is largest.
TEST(SparseFeatures, NormalizedSearchIsTheDefinition) {
  const auto gram = gram_of("rbf(gamma=0.4)", random_matrix(25, 2, 6));
  const Dense k = stored(*gram);
  for (const double p : {1.0, 2.0}) {
    SparseFeatureOptions options;
    options.features = 5;
    options.mode = SparseFeatureMode::normalized;
    options.norm = p;
    const SparseFeatures found = sparse_features(*gram, {}, options, {});
    for (std::size_t step = 0; step < 5; ++step) {
      const std::span<const Index> before(found.chosen.data(), step);
      double best = -1;
      Index best_row = -1;
      for (Index j = 0; j < 25; ++j) {
        if (std::find(before.begin(), before.end(), j) != before.end()) {
          continue;
        }
        const std::vector<Index> own = {j};
        Dense residual = k.column(j);
        double norm = 1;
        if (step > 0) {
          const Dense c = k.picked(before, before).solve(k.picked(before, own));
          std::vector<Index> all(25);
          std::iota(all.begin(), all.end(), Index{0});
          residual -= k.picked(all, before) * c;
          for (Index r = 0; r < c.rows(); ++r) {
            norm += std::pow(std::abs(c(r)), p);
          }
        }
        const double variance = variance_of(column_of(residual, 0)) / std::pow(norm, 2 / p);
        if (variance > best * (1 + 1e-11)) {
          best = variance;
          best_row = j;
        }
      }
      EXPECT_EQ(found.chosen[step], best_row) << "step " << step << ", p " << p;
      EXPECT_NEAR(found.variances[step], best, 1e-11);
    }
  }
}

TEST(SparseFeatures, RemovalTakesTheLargestVariances) {
  const auto gram = gram_of("rbf(gamma=0.4)", random_matrix(30, 2, 7));
  const Dense k = stored(*gram);
  SparseFeatureOptions options;
  options.features = 30;
  options.mode = SparseFeatureMode::removal;
  const SparseFeatures found = sparse_features(*gram, {}, options, {});
  ASSERT_EQ(found.chosen.size(), 30U);
  for (std::size_t c = 0; c < 30; ++c) {
    EXPECT_NEAR(found.variances[c], variance_of(column_of(k, found.chosen[c])), 1e-13);
    EXPECT_LE(c == 0 ? 0.0 : found.variances[c] - found.variances[c - 1], 1e-13);
  }
  EXPECT_EQ(Dense(found.coefficients).sum(), 30);
}

// A vertex of the ℓ1 ball: no mixture of candidates varies more than the best one.
TEST(SparseFeatures, NoMixtureOfUnitNormBeatsTheFirstFeature) {
  const auto gram = gram_of("rbf(gamma=0.4)", random_matrix(20, 2, 8));
  const Dense k = stored(*gram);
  SparseFeatureOptions options;
  options.features = 1;
  const double best = sparse_features(*gram, {}, options, {}).variances.front();
  RandomStream random(3);
  for (int trial = 0; trial < 300; ++trial) {
    Dense a(20, 1);
    for (Index i = 0; i < 20; ++i) {
      a(i) = random.uniform() < 0.7 ? 0.0 : random.normal();
    }
    if (a.sum_abs() > 0) {
      EXPECT_LE(variance_of(column_of(k * (a / a.sum_abs()), 0)), best + 1e-13);
    }
  }
  // k(x, x) ≤ 1: below the first principal component's variance.
  Dense center = Dense::identity(20).shifted(-1.0 / 20);
  EXPECT_LE(best, (center * k * center).eigenvalues().max() / 20);
}

TEST(SparseFeatures, StopsAtTheRank) {
  const Matrix<double> x = random_matrix(30, 3, 9);
  const auto gram = gram_of("linear()", x);
  SparseFeatureOptions options;
  options.features = 10;
  const SparseFeatures found = sparse_features(*gram, {}, options, {});
  EXPECT_EQ(found.chosen.size(), 3U);
  // The residual after the last feature is 0.
  const Dense k = stored(*gram);
  const Dense f = outputs_of(found, k);
  Dense rest = k;
  for (Index c = 0; c < 3; ++c) {
    rest -= f.column(c) * f.column(c).transpose() / std::pow(found.norms[c], 2);
  }
  EXPECT_LT(rest.max_abs(), 1e-12 * k.max_abs());
}

TEST(SparseFeatures, WeightsAreRepetitions) {
  const Matrix<double> x = random_matrix(15, 2, 10);
  std::vector<double> weights;
  for (int i = 0; i < 15; ++i) {
    weights.push_back(1 + i % 3);
  }
  const auto gram = gram_of("rbf(gamma=0.4)", x);
  const Matrix<double> many = feature_test::repeated(x, weights);
  const auto repeated = gram_of("rbf(gamma=0.4)", many);
  SparseFeatureOptions options;
  options.features = 6;
  for (const SparseFeatureMode mode :
       {SparseFeatureMode::removal, SparseFeatureMode::projection, SparseFeatureMode::normalized}) {
    options.mode = mode;
    options.features = mode == SparseFeatureMode::removal ? 1 : 6;
    const SparseFeatures a = sparse_features(*gram, weights, options, {});
    const SparseFeatures b = sparse_features(*repeated, {}, options, {});
    ASSERT_EQ(a.chosen.size(), b.chosen.size());
    for (std::size_t c = 0; c < a.chosen.size(); ++c) {
      EXPECT_NEAR(a.variances[c], b.variances[c], 1e-12);
      EXPECT_EQ(x(a.chosen[c], 0), many(b.chosen[c], 0));
    }
  }
}

TEST(SparseFeatures, EarlyStoppingFindsTheSameWithFewerEvaluations) {
  // Half of the samples nearly in one place, which vary most; the bound tells them from the others before all is seen.
  constexpr Index n = 6000;
  Matrix<double> x = random_matrix(n, 2, 11);
  for (Index i = 0; i < n; ++i) {
    const double spread = i % 2 == 0 ? 100.0 : 1e-3;
    x(i, 0) = spread * x(i, 0) + (i % 2 == 0 ? 0.0 : 5.0);
    x(i, 1) *= spread;
  }
  const auto gram = gram_of("rbf(gamma=1)", x);
  SparseFeatureOptions options;
  options.features = 1;
  const SparseFeatures exact = sparse_features(*gram, {}, options, {});
  options.confidence = 0.99;
  const SparseFeatures early = sparse_features(*gram, {}, options, {});
  EXPECT_EQ(early.chosen, exact.chosen);
  EXPECT_LT(early.evaluations, n * n * 3 / 4);
}

TEST(SparseFeatures, FewCandidatesComeCloseWithoutAllOfTheMatrix) {
  const auto gram = gram_of("rbf(gamma=0.5)", random_matrix(1000, 2, 12));
  SparseFeatureOptions options;
  options.features = 5;
  const SparseFeatures all = sparse_features(*gram, {}, options, {});
  options.candidates = candidates_needed(0.05, 0.95);
  const SparseFeatures some = sparse_features(*gram, {}, options, mercer::Run{{.threads = 1, .seed = 4}});
  EXPECT_EQ(some.evaluations, 5 * 60 * 1000);
  EXPECT_GT(some.variances[0], 0.9 * all.variances[0]);
  EXPECT_LE(some.variances[0], all.variances[0] + 1e-12);
  const SparseFeatures again = sparse_features(*gram, {}, options, mercer::Run{{.threads = 3, .seed = 4}});
  EXPECT_EQ(again.chosen, some.chosen);
  EXPECT_EQ(again.variances, some.variances);
}

TEST(SparseFeatures, CandidatesNeeded) {
  EXPECT_EQ(candidates_needed(0.05, 0.95), 59);
  EXPECT_NEAR(1 - std::pow(0.95, 59), 0.951505, 5e-7);
  EXPECT_NEAR(1 - std::pow(0.95, 58), 0.948953, 5e-7);
  EXPECT_ERROR(candidates_needed(0, 0.95), InvalidArgument, "share = 0");
  EXPECT_ERROR(candidates_needed(0.05, 1), InvalidArgument, "confidence = 1");
}

TEST(SparseFeatures, DegenerateSamples) {
  SparseFeatureOptions options;
  EXPECT_TRUE(sparse_features(*gram_of("rbf(gamma=1)", Matrix<double>(0, 2)), {}, options, {}).chosen.empty());
  // Outputs of one sample, or of equal ones, do not vary.
  EXPECT_TRUE(sparse_features(*gram_of("rbf(gamma=1)", random_matrix(1, 2, 1)), {}, options, {}).chosen.empty());
  const auto equal = gram_of("rbf(gamma=1)", Matrix<double>::filled(7, 2, 1.5));
  EXPECT_TRUE(sparse_features(*equal, {}, options, {}).chosen.empty());
  options.candidates = 3;
  EXPECT_TRUE(sparse_features(*equal, {}, options, {}).chosen.empty());
  // Duplicates are taken once.
  const Matrix<double> x = random_matrix(4, 2, 2);
  const std::vector<double> twice = {2, 2, 2, 2};
  EXPECT_EQ(sparse_features(*gram_of("rbf(gamma=1)", feature_test::repeated(x, twice)), {}, {}, {}).chosen.size(), 4U);
}

TEST(SparseFeatures, RefusesWhatDoesNotFit) {
  const auto gram = gram_of("rbf(gamma=1)", random_matrix(5, 2, 1));
  const std::vector<double> short_weights = {1, 2};
  EXPECT_ERROR(sparse_features(*gram, short_weights, {}, {}), InvalidArgument, "2 weights for 5 samples");
  const std::vector<double> zero = {1, 1, 0, 1, 1};
  EXPECT_ERROR(sparse_features(*gram, zero, {}, {}), InvalidArgument, "weights = 0");
  SparseFeatureOptions options;
  options.features = 0;
  EXPECT_ERROR(sparse_features(*gram, {}, options, {}), InvalidArgument, "features = 0");
  options = {};
  options.norm = 0.5;
  EXPECT_ERROR(sparse_features(*gram, {}, options, {}), InvalidArgument, "norm = 0.5");
  options = {};
  options.confidence = 1;
  EXPECT_ERROR(sparse_features(*gram, {}, options, {}), InvalidArgument, "confidence = 1");
}

}  // namespace
}  // namespace mercer
