#include "mercer/smoothing/density_sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "smoothing/density_oracle.h"

namespace mercer {
namespace {

using testing::normal_points;
using testing::plain_log_sum;
using testing::positive_values;

struct Setting {
  SmoothingShape shape;
  Index dimension;
  Matrix<double> points;
  Matrix<double> queries;
  std::vector<double> weights;
  std::vector<double> scales;
  SumAccuracy accuracy;
};

// Sizes, spreads, weights, scales and accuracies of all kinds.
Setting random_setting(std::uint64_t seed) {
  RandomStream random(seed, 9);
  Setting s;
  s.shape = random.below(3) == 0 ? SmoothingShape::gaussian : smoothing_shapes[random.below(smoothing_shapes.size())];
  s.dimension = 1 + static_cast<Index>(random.below(3));
  const Index n = 1 + static_cast<Index>(random.below(random.below(3) == 0 ? 2000 : 100));
  const double spread = std::pow(10.0, 3 * random.uniform() - 1);
  s.points = normal_points(n, s.dimension, seed, spread);
  s.queries = normal_points(1 + static_cast<Index>(random.below(30)), s.dimension, seed + 1,
                            (random.below(2) == 0 ? 1.2 : 0.03) * spread);  // all over, or close together
  if (random.below(2) == 0) {
    s.weights = positive_values(n, seed);
  }
  if (random.below(3) == 0) {
    s.scales = positive_values(n, seed + 5);
  }
  const double accuracies[] = {0, 1e-6, 1e-3, 1e-1, 0.3};
  s.accuracy.relative = accuracies[random.below(5)];
  s.accuracy.absolute = random.below(2) == 0 ? 0.0 : std::pow(10.0, -6 * random.uniform());
  return s;
}

TEST(DensitySumTest, TreesKeepTheirPromiseOnAThousandSettings) {
  Index approximate = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Setting s = random_setting(seed);
    const SmoothingKernel kernel(s.shape, s.dimension);
    const DensitySum sums(kernel, s.points.view(), s.weights, s.scales, SumMethod::tree);
    const std::vector<double> values = sums.log_sums(s.queries.view(), s.accuracy, mercer::Run{{.threads = 1}});
    for (Index q = 0; q < s.queries.rows(); ++q) {
      const double exact = plain_log_sum(kernel, s.points.view(), s.weights, s.scales, s.queries.view().row(q));
      const double value = values[q];
      if (std::isinf(exact)) {
        EXPECT_LE(std::exp(value), s.accuracy.absolute) << seed;
        continue;
      }
      if (s.accuracy.absolute == 0) {
        EXPECT_LE(std::abs(std::expm1(value - exact)), s.accuracy.relative + 1e-12) << seed;
      } else {
        EXPECT_LE(std::abs(std::exp(value) - std::exp(exact)),
                  s.accuracy.absolute + (s.accuracy.relative + 1e-12) * std::exp(exact))
            << seed;
      }
      approximate += std::abs(value - exact) > 1e-10 ? 1 : 0;
    }
  }
  EXPECT_GT(approximate, 500);  // that the promise is made use of
}

TEST(DensitySumTest, ExactSumsAreExact) {
  for (const SmoothingShape shape : smoothing_shapes) {
    for (const Index d : {1, 2, 3, 20}) {
      const SmoothingKernel kernel(shape, d);
      const Matrix<double> points = normal_points(700, d, 5, 0.4);
      const Matrix<double> queries = normal_points(40, d, 6, 0.5);
      const std::vector<double> weights = positive_values(700, 7);
      const std::vector<double> scales = positive_values(700, 8);
      const DensitySum sums(kernel, points.view(), weights, scales, SumMethod::exact);
      const std::vector<double> values = sums.log_sums(queries.view(), {}, {});
      for (Index q = 0; q < 40; ++q) {
        const double exact = plain_log_sum(kernel, points.view(), weights, scales, queries.view().row(q));
        if (std::isinf(exact)) {
          EXPECT_EQ(values[q], exact);
        } else {
          EXPECT_NEAR(values[q], exact, 1e-11 * (1 + std::abs(exact)));
        }
      }
    }
  }
}

// In many dimensions distances come from products: also about a far centre, beside far outliers, and at the points.
TEST(DensitySumTest, ProductsLoseNoDigits) {
  const Index d = 30;
  Matrix<double> points = normal_points(200, d, 35, 0.3);
  for (Index i = 0; i < 200; ++i) {
    for (Index j = 0; j < d; ++j) {
      points(i, j) += i == 5 ? 1e7 : 1000;
    }
  }
  const std::vector<double> weights = positive_values(200, 36);
  for (const SmoothingShape shape : {SmoothingShape::gaussian, SmoothingShape::epanechnikov}) {
    const SmoothingKernel kernel(shape, d);
    const DensitySum sums(kernel, points.view(), weights, {}, SumMethod::automatic);
    EXPECT_EQ(sums.method(), SumMethod::exact);
    const std::vector<double> values = sums.log_sums(points.view(), {}, {});
    const std::vector<double> without = sums.log_sums_without_own({}, {});
    for (Index i = 0; i < 200; ++i) {
      const auto row = points.view().row(i);
      EXPECT_NEAR(values[i], plain_log_sum(kernel, points.view(), weights, {}, row), 1e-7);
      const double exact = plain_log_sum(kernel, points.view(), weights, {}, row, i);
      if (std::isinf(exact)) {
        EXPECT_EQ(without[i], exact);
      } else {
        EXPECT_NEAR(without[i], exact, 1e-7 * (1 + std::abs(exact)));
      }
    }
  }
}

TEST(DensitySumTest, PointsLeaveThemselvesOut) {
  for (const SmoothingShape shape : smoothing_shapes) {
    const SmoothingKernel kernel(shape, 2);
    Matrix<double> points = normal_points(300, 2, 15, 3);
    for (Index i = 0; i < 20; ++i) {  // copies do not leave each other out
      points(i, 0) = 1;
      points(i, 1) = 2;
    }
    const std::vector<double> weights = positive_values(300, 17);
    const DensitySum sums(kernel, points.view(), weights, {}, SumMethod::tree);
    const std::vector<double> values = sums.log_sums_without_own({1e-5, 0}, {});
    for (Index i = 0; i < 300; ++i) {
      const double exact = plain_log_sum(kernel, points.view(), weights, {}, points.view().row(i), i);
      if (std::isinf(exact)) {
        EXPECT_EQ(values[i], exact);
      } else {
        EXPECT_NEAR(values[i], exact, 2e-5) << i;
      }
    }
  }
}

TEST(DensitySumTest, FarAwayThereIsNoUnderflow) {
  const Matrix<double> one = Matrix<double>::filled(1, 3, 0.0);
  Matrix<double> far(3, 3);
  for (Index q = 0; q < 3; ++q) {
    for (Index j = 0; j < 3; ++j) {
      far(q, j) = std::pow(10.0, static_cast<double>(2 + 3 * q));
    }
  }
  const SmoothingKernel gaussian(SmoothingShape::gaussian, 3);
  const SmoothingKernel exponential(SmoothingShape::exponential, 3);
  for (const SumMethod method : {SumMethod::exact, SumMethod::tree}) {
    const auto g = DensitySum(gaussian, one.view(), {}, {}, method).log_sums(far.view(), {1e-3, 0}, {});
    const auto e = DensitySum(exponential, one.view(), {}, {}, method).log_sums(far.view(), {1e-3, 0}, {});
    for (Index q = 0; q < 3; ++q) {
      const double squared = 3 * far(q, 0) * far(q, 0);
      EXPECT_NEAR(g[q], -squared / 2, 1e-12 * squared);
      EXPECT_NEAR(e[q], -std::sqrt(squared), 1e-12 * squared);
    }
  }
}

TEST(DensitySumTest, IdenticalPointsAreOneHeavyPoint) {
  const Matrix<double> points = Matrix<double>::filled(500, 2, 1.5);
  const Matrix<double> queries = normal_points(10, 2, 3);
  for (const SmoothingShape shape : smoothing_shapes) {
    const SmoothingKernel kernel(shape, 2);
    const auto many = DensitySum(kernel, points.view(), {}, {}, SumMethod::tree).log_sums(queries.view(), {}, {});
    const auto one =
        DensitySum(kernel, points.view().row_block({0, 1}), std::vector<double>{500.0}, {}, SumMethod::tree)
            .log_sums(queries.view(), {}, {});
    for (std::size_t q = 0; q < many.size(); ++q) {
      if (std::isinf(one[q])) {
        EXPECT_EQ(many[q], one[q]);
      } else {
        EXPECT_NEAR(many[q], one[q], 1e-12 * (1 + std::abs(one[q])));
      }
    }
  }
}

TEST(DensitySumTest, AnyNumberOfThreadsGivesTheSameBits) {
  const SmoothingKernel kernel(SmoothingShape::gaussian, 2);
  const Matrix<double> points = normal_points(3000, 2, 23, 5);
  const DensitySum sums(kernel, points.view(), {}, {}, SumMethod::automatic);
  const auto one = sums.log_sums(points.view(), {1e-4, 0}, mercer::Run{{.threads = 1}});
  EXPECT_EQ(one, sums.log_sums(points.view(), {1e-4, 0}, mercer::Run{{.threads = 2}}));
  EXPECT_EQ(one, sums.log_sums(points.view(), {1e-4, 0}, mercer::Run{{.threads = 3}}));
}

TEST(PointTreeTest, NodesHoldTheirPoints) {
  const Matrix<double> points = normal_points(1000, 3, 29);
  const std::vector<double> weights = positive_values(1000, 30);
  const PointTree tree(points.view(), weights, {}, 10);
  std::vector<int> seen(1000, 0);
  for (Index number = 0; number < static_cast<Index>(tree.nodes().size()); ++number) {
    const PointTree::Node& node = tree.nodes()[number];
    double weight = 0;
    for (Index i = node.begin; i < node.end; ++i) {
      weight += weights[tree.row(i)];
      for (Index j = 0; j < 3; ++j) {
        EXPECT_EQ(tree.coordinate(j)[i], points(tree.row(i), j));
        EXPECT_GE(tree.coordinate(j)[i], tree.lower(number)[j]);
        EXPECT_LE(tree.coordinate(j)[i], tree.upper(number)[j]);
      }
      seen[tree.row(i)] += node.is_leaf() ? 1 : 0;
    }
    EXPECT_NEAR(node.weight, weight, 1e-10);
    EXPECT_TRUE(!node.is_leaf() || node.size() <= 10);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 1000);
}

}  // namespace
}  // namespace mercer
