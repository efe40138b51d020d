// Local regression against its definition: weighted least squares, solved at every query by another way.
#include "mercer/smoothing/local_regression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "support/dense.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::random_matrix;

// The value of the fitted polynomial at `query`, by normal equations.
double by_definition(const Matrix<double>& points, const std::vector<double>& weights, const Matrix<double>& y,
                     const Matrix<double>& queries, Index q, const LocalFitOptions& options) {
  const Index n = points.rows();
  const Index d = points.columns();
  std::vector<double> distances;
  for (Index i = 0; i < n; ++i) {
    double square = 0;
    for (Index j = 0; j < d; ++j) {
      square += std::pow(points(i, j) - queries(q, j), 2);
    }
    distances.push_back(std::sqrt(square));
  }
  double width = 1;
  if (options.span > 0) {
    std::vector<double> ordered = distances;
    std::sort(ordered.begin(), ordered.end());
    const auto place = std::min<std::size_t>(
        ordered.size(), static_cast<std::size_t>(std::floor(static_cast<double>(n) * options.span + 1e-5)));
    width = ordered[place - 1] * std::sqrt(std::max(1.0, options.span));
  }
  const SmoothingKernel window(options.shape, d);
  const Index k = local_monomials(options.degree, d);
  Dense normal(k, k);
  Dense right(k, 1);
  for (Index i = 0; i < n; ++i) {
    std::vector<double> row = {1};
    for (Index a = 0; a < d && options.degree >= 1; ++a) {
      row.push_back(points(i, a) - queries(q, a));
    }
    for (Index a = 0; a < d && options.degree >= 2; ++a) {
      for (Index b = a; b < d; ++b) {
        row.push_back((points(i, a) - queries(q, a)) * (points(i, b) - queries(q, b)));
      }
    }
    const auto point = static_cast<std::size_t>(i);
    const double weight = weights[point] * window.profile(std::pow(distances[point] / width, 2));
    for (Index a = 0; a < k; ++a) {
      for (Index b = 0; b < k; ++b) {
        normal(a, b) += weight * row[a] * row[b];
      }
      right(a, 0) += weight * row[a] * y(i, 0);
    }
  }
  return normal.solve(right)(0, 0);
}

TEST(LocalRegression, EqualsWeightedLeastSquares) {
  std::uint64_t seed = 1;
  for (const Index d : {1, 2, 3}) {
    for (const Index degree : {0, 1, 2}) {
      for (const double span : {0.0, 0.5, 1.0, 1.7}) {
        for (const SmoothingShape shape :
             {SmoothingShape::tricube, SmoothingShape::gaussian, SmoothingShape::epanechnikov}) {
          const LocalFitOptions options{.degree = degree, .span = span, .shape = shape};
          Matrix<double> points = random_matrix(60, d, ++seed);
          if (span == 0) {  // in units of the bandwidth
            for (Index i = 0; i < points.rows() * d; ++i) {
              points.data()[i] *= 0.4;
            }
          }
          const Matrix<double> y = random_matrix(60, 1, ++seed);
          Matrix<double> queries = random_matrix(5, d, ++seed);
          for (Index i = 0; i < queries.rows() * d; ++i) {
            queries.data()[i] *= 0.2;
          }
          std::vector<double> weights;
          for (Index i = 0; i < 60; ++i) {
            weights.push_back(0.5 + 0.1 * static_cast<double>(i % 7));
          }
          const LocalRegression regression(Matrix<double>::copy_of(points.view()), options);
          const Matrix<double> values = regression.values(queries.view(), weights, y.view(), {});
          Matrix<double> kernels(5, 60);
          regression.equivalent_kernels(queries.view(), {0, 5}, weights, kernels.view(), {});
          for (Index q = 0; q < 5; ++q) {
            const double expected = by_definition(points, weights, y, queries, q, options);
            EXPECT_NEAR(values(q, 0), expected, 1e-7 * (1 + std::abs(expected))) << d << " " << degree << " " << span;
            double sum = 0;
            double product = 0;
            for (Index i = 0; i < 60; ++i) {
              sum += kernels(q, i);
              product += kernels(q, i) * y(i, 0);
            }
            EXPECT_NEAR(sum, 1, 1e-9);
            EXPECT_NEAR(product, values(q, 0), 1e-9 * (1 + std::abs(expected)));
          }
        }
      }
    }
  }
}

TEST(LocalRegression, PolynomialsOfTheDegreeAreKept) {
  const Matrix<double> points = random_matrix(50, 2, 70);
  Matrix<double> y(50, 1);
  const auto polynomial = [](double a, double b) { return 1 - a + 2 * b + a * a - 3 * a * b + 0.5 * b * b; };
  for (Index i = 0; i < 50; ++i) {
    y(i, 0) = polynomial(points(i, 0), points(i, 1));
  }
  const LocalRegression regression(Matrix<double>::copy_of(points.view()), {.degree = 2, .span = 0.4});
  const Matrix<double> queries = random_matrix(10, 2, 71);
  const Matrix<double> values = regression.values(queries.view(), {}, y.view(), {});
  for (Index q = 0; q < 10; ++q) {
    EXPECT_NEAR(values(q, 0), polynomial(queries(q, 0), queries(q, 1)), 1e-8);
  }
}

TEST(LocalRegression, DegenerateNeighborhoods) {
  // Copies of one point: their mean, whatever the degree.
  Matrix<double> same = Matrix<double>::filled(4, 1, 2.0);
  Matrix<double> y(4, 1);
  for (Index i = 0; i < 4; ++i) {
    y(i, 0) = static_cast<double>(i);
  }
  Matrix<double> query(2, 1);
  query(0, 0) = 2;
  query(1, 0) = 5;
  for (const Index degree : {0, 1, 2}) {
    const LocalRegression regression(Matrix<double>::copy_of(same.view()), {.degree = degree, .span = 1});
    const Matrix<double> values = regression.values(query.view(), {}, y.view(), {});
    EXPECT_NEAR(values(0, 0), 1.5, 1e-12);
    EXPECT_TRUE(std::isfinite(values(1, 0)));
  }
  // Nothing in reach of a fixed width: the nearest point.
  Matrix<double> two(2, 1);
  two(0, 0) = 0;
  two(1, 0) = 10;
  Matrix<double> targets(2, 1);
  targets(0, 0) = -1;
  targets(1, 0) = 1;
  const LocalRegression fixed(Matrix<double>::copy_of(two.view()), {.degree = 1, .span = 0});
  EXPECT_EQ(fixed.values(query.view(), {}, targets.view(), {})(0, 0), -1);
  const std::vector<double> only_second = {0, 1};
  EXPECT_EQ(fixed.values(query.view(), only_second, targets.view(), {})(0, 0), 1);
  EXPECT_ERROR(LocalRegression(Matrix<double>(0, 1), {}), InvalidArgument, "local regression needs at least one point");
  EXPECT_ERROR(LocalRegression(Matrix<double>(1, 1), {.degree = 3}), InvalidArgument, "degree = 3");
  EXPECT_ERROR(LocalRegression(Matrix<double>(1, 1), {.span = -1}), InvalidArgument, "span = -1");
}

TEST(LocalRegression, AnyNumberOfThreadsGivesTheSameBits) {
  const Matrix<double> points = random_matrix(100, 2, 80);
  const Matrix<double> y = random_matrix(100, 1, 81);
  const LocalRegression regression(Matrix<double>::copy_of(points.view()), {});
  const Matrix<double> one = regression.values(points.view(), {}, y.view(), mercer::Run{{.threads = 1}});
  const Matrix<double> three = regression.values(points.view(), {}, y.view(), mercer::Run{{.threads = 3}});
  EXPECT_TRUE(testing::same_bits(one, three));
}

}  // namespace
}  // namespace mercer
