#include "mercer/smoothing/histogram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/smoothing/nearest_radius.h"
#include "smoothing/density_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::normal_points;
using testing::positive_values;
using testing::sine_points;
using Edges = std::vector<std::vector<double>>;

// numpy 2.4, histogram_bin_edges.
TEST(HistogramTest, RulesAreNumpys) {
  const Matrix<double> x = sine_points(40, 1);
  EXPECT_EQ(histogram_edges(BinRule::sturges, x.view(), {})[0].size(), 8U);
  EXPECT_EQ(histogram_edges(BinRule::scott, x.view(), {})[0].size(), 5U);
  EXPECT_EQ(histogram_edges(BinRule::fd, x.view(), {})[0].size(), 5U);
  EXPECT_NEAR(histogram_edges(BinRule::fd, x.view(), {})[0].front(), -1.1544023853935983, 1e-15);
  EXPECT_NEAR(histogram_edges(BinRule::fd, x.view(), {})[0].back(), 1.2637953421221417, 1e-15);
}

TEST(HistogramTest, IntegratesToOneWithEdgesOfAnyWidth) {
  HistogramDensity density(Edges{{0, 0.5, 2, 3}, {-1, 1, 1.5}});
  const Matrix<double> points = normal_points(200, 2, 5);
  const double outside = density.add(points.view(), {});
  double sum = 0;
  double counted = 0;
  for (const double x : {0.25, 1.0, 2.5}) {
    for (const double y : {0.0, 1.2}) {
      const double width = x < 0.5 ? 0.5 : x < 2 ? 1.5 : 1.0;
      const double p = std::exp(density.log_density(std::vector<double>{x, y}));
      sum += p * width * (y < 1 ? 2 : 0.5);
    }
  }
  for (Index i = 0; i < 200; ++i) {
    counted += points(i, 0) >= 0 && points(i, 0) <= 3 && points(i, 1) >= -1 && points(i, 1) <= 1.5 ? 1 : 0;
  }
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_EQ(density.total_weight(), counted);
  EXPECT_EQ(outside, 200 - counted);
}

TEST(HistogramTest, PointsOnEdgesBelongToOneBin) {
  HistogramDensity density(Edges{{0, 1, 2}});
  Matrix<double> points(4, 1);
  const double values[] = {0, 1, 2, 2.0001};
  std::copy_n(values, 4, points.data());
  EXPECT_EQ(density.add(points.view(), {}), 1);
  ASSERT_EQ(density.cells().size(), 2U);
  EXPECT_EQ(density.cells()[0].weight, 1);
  EXPECT_EQ(density.cells()[1].weight, 2);
  EXPECT_NEAR(std::exp(density.log_density(std::vector<double>{2.0})), 2.0 / 3, 1e-15);
  EXPECT_EQ(density.log_density(std::vector<double>{2.1}), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(density.log_density(std::vector<double>{-1e-9}), -std::numeric_limits<double>::infinity());
}

TEST(HistogramTest, StreamsAddUp) {
  const Matrix<double> points = sine_points(60, 3);
  const std::vector<double> weights = positive_values(60, 2);
  HistogramDensity whole(histogram_edges(BinRule::scott, points.view(), weights));
  HistogramDensity parts = whole;
  whole.add(points.view(), weights);
  for (Index i = 0; i < 60; i += 20) {
    parts.add(points.view().row_block({i, i + 20}), std::span(weights).subspan(static_cast<std::size_t>(i), 20));
  }
  ASSERT_EQ(parts.cells().size(), whole.cells().size());
  for (std::size_t k = 0; k < whole.cells().size(); ++k) {
    EXPECT_EQ(parts.cells()[k].place, whole.cells()[k].place);
    EXPECT_NEAR(parts.cells()[k].weight, whole.cells()[k].weight, 1e-12);
  }
}

TEST(HistogramTest, EqualSharesAndColumnsWithoutSpread) {
  const Matrix<double> x = normal_points(1000, 1, 71);
  HistogramDensity density(histogram_edges(BinRule::quantile, x.view(), {}));
  density.add(x.view(), {});
  for (const HistogramDensity::Cell& cell : density.cells()) {
    EXPECT_NEAR(cell.weight, 1000.0 / static_cast<double>(density.cells().size()), 1.01);
  }
  for (const BinRule rule : {BinRule::sturges, BinRule::scott, BinRule::fd, BinRule::quantile}) {
    const auto edges = histogram_edges(rule, Matrix<double>::filled(7, 1, 3.0).view(), {});
    HistogramDensity constant(edges);
    constant.add(Matrix<double>::filled(7, 1, 3.0).view(), {});
    EXPECT_EQ(constant.total_weight(), 7) << word_of(rule);
    Matrix<double> outlier = normal_points(100, 1, 72);
    outlier(0, 0) = 1e12;
    EXPECT_LE(histogram_edges(rule, outlier.view(), {})[0].size(), 100001U);
  }
}

TEST(HistogramTest, UnusablePartsAreRefused) {
  EXPECT_ERROR(HistogramDensity(Edges{}), InvalidArgument, "a histogram needs one axis at least");
  EXPECT_ERROR(HistogramDensity(Edges{{1}}), InvalidArgument, "the edges of an axis must be finite and ascend");
  EXPECT_ERROR(HistogramDensity(Edges{{1, 1}}), InvalidArgument, "the edges of an axis must be finite and ascend");
  EXPECT_ERROR(HistogramDensity(Edges{{2, 1}}), InvalidArgument, "the edges of an axis must be finite and ascend");
  EXPECT_ERROR(HistogramDensity(Edges{{0, 1, 2}}, {{2, 1.0}}), DataError, "the cells of a histogram must ascend");
  EXPECT_ERROR(HistogramDensity(Edges{{0, 1, 2}}, {{1, 1.0}, {0, 1.0}}), DataError,
               "the cells of a histogram must ascend");
  EXPECT_ERROR(HistogramDensity(Edges{{0, 1, 2}}, {{1, 0.0}}), DataError, "the cells of a histogram must ascend");
  std::vector<double> many;
  for (int k = 0; k <= 100000; ++k) {
    many.push_back(k);
  }
  EXPECT_ERROR(HistogramDensity(Edges{many, many, many, many}), InvalidArgument, "a histogram of 1e+20 cells");
}

TEST(NearestRadiusTest, IsTheSortedDistance) {
  for (const Index d : {1, 3, 9}) {
    const Matrix<double> points = normal_points(300, d, 61);
    const Matrix<double> queries = normal_points(50, d, 62);
    std::vector<double> weights;
    for (Index i = 0; i < 300; ++i) {
      weights.push_back(static_cast<double>(1 + i % 3));
    }
    for (const bool weighted : {false, true}) {
      const PointTree tree(points.view(), weighted ? weights : std::vector<double>{}, {}, 8);
      for (const double count : {1.0, 17.0, 300.0, 601.0}) {
        const std::vector<double> radii = nearest_radii(tree, queries.view(), count, {});
        for (Index q = 0; q < 50; ++q) {
          std::vector<double> distances;
          for (Index i = 0; i < 300; ++i) {
            double squared = 0;
            for (Index j = 0; j < d; ++j) {
              squared += std::pow(points(i, j) - queries(q, j), 2);
            }
            for (int k = 0; k < (weighted ? 1 + static_cast<int>(i % 3) : 1); ++k) {
              distances.push_back(std::sqrt(squared));
            }
          }
          std::sort(distances.begin(), distances.end());
          const auto place = static_cast<std::size_t>(count) - 1;
          const double expected = place < distances.size() ? distances[place] : std::numeric_limits<double>::infinity();
          if (std::isinf(expected)) {
            EXPECT_EQ(radii[q], expected);
          } else {
            EXPECT_NEAR(radii[q], expected, 1e-12);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace mercer
