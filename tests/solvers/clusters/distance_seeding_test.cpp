#include "mercer/solvers/clusters/distance_seeding.h"

#include <gtest/gtest.h>

#include "solvers/clustering_oracle.h"

namespace mercer {
namespace {

using testing::cloud_points;
using testing::squared_apart;

DistancesOfRows rows_of(const Matrix<double>& x) {
  return [&x](std::span<const Index> list, MatrixView<double> out) {
    for (Index a = 0; a < out.rows(); ++a) {
      for (Index j = 0; j < out.columns(); ++j) {
        out(a, j) = squared_apart(x, list[a], j);
      }
    }
  };
}

TEST(DistanceSeeding, OneSeedPerDistantCloud) {
  const Matrix<double> x = cloud_points(60, 6, 1000.0, 1);
  const std::vector<double> weights(60, 1.0);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    RandomStream random(seed);
    const DistanceSeeds seeds = seed_by_distance(rows_of(x), weights, 6, 0, random);
    std::vector<Index> clouds;
    for (const Index row : seeds.rows) {
      clouds.push_back(row % 6);
    }
    std::sort(clouds.begin(), clouds.end());
    EXPECT_EQ(clouds, (std::vector<Index>{0, 1, 2, 3, 4, 5}));
    double objective = 0;
    for (Index i = 0; i < 60; ++i) {
      const Index own = seeds.nearest[i];
      EXPECT_EQ(seeds.rows[own] % 6, i % 6);
      objective += squared_apart(x, i, seeds.rows[own]);
    }
    EXPECT_NEAR(seeds.objective, objective, 1e-9 * objective);
  }
}

TEST(DistanceSeeding, FirstSeedsAreDrawnByWeight) {
  const Matrix<double> x = cloud_points(3, 3, 10.0, 2);
  std::vector<int> counts(3, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    RandomStream random(seed);
    ++counts[seed_by_distance(rows_of(x), std::vector<double>{1, 2, 5}, 1, 0, random).rows.front()];
  }
  // Binomial: within 4.5 standard deviations.
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = std::vector<double>{1, 2, 5}[i] / 8;
    EXPECT_NEAR(counts[i], 4000 * share, 4.5 * std::sqrt(4000 * share * (1 - share)));
  }
}

TEST(DistanceSeeding, EndsWhereAllRowsAreTaken) {
  Matrix<double> x = Matrix<double>::filled(5, 1, 2.0);
  x(4, 0) = 3;
  RandomStream random(1);
  EXPECT_EQ(seed_by_distance(rows_of(x), std::vector<double>(5, 1.0), 4, 0, random).rows.size(), 2);
  EXPECT_EQ(seed_by_distance(rows_of(x), std::vector<double>(5, 1.0), 4, 10.0, random).rows.size(), 1);
}

}  // namespace
}  // namespace mercer
