#include "mercer/smoothing/window_average.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"

namespace mercer {
namespace {

using testing::random_matrix;

std::vector<double> some_weights(Index n) {
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) {
    weights.push_back(0.5 + 0.25 * static_cast<double>(i % 5));
  }
  return weights;
}

double squared_distance(SmoothingShape shape, const Matrix<double>& a, Index i, const Matrix<double>& b, Index j) {
  double sum = 0;
  double largest = 0;
  for (Index c = 0; c < a.columns(); ++c) {
    sum += (a(i, c) - b(j, c)) * (a(i, c) - b(j, c));
    largest = std::max(largest, std::abs(a(i, c) - b(j, c)));
  }
  return shape == SmoothingShape::cube ? largest * largest : sum;
}

TEST(WindowAverage, EqualsItsDefinition) {
  for (const SmoothingShape shape : smoothing_shapes) {
    for (const Index d : {1, 3}) {
      const Matrix<double> points = random_matrix(40, d, 2);
      const std::vector<double> weights = some_weights(40);
      const Matrix<double> columns = random_matrix(40, 2, 3);
      const Matrix<double> queries = random_matrix(7, d, 4);
      const WindowAverage average(points, weights, shape);
      const SmoothingKernel window(shape, d);
      const WindowAverage::Averages found = average.averages(queries.view(), columns.view(), {});
      const Matrix<double> kernels = average.kernels(queries.view(), {});
      const WindowAverage::Averages others = average.leave_one_out(columns.view(), {});
      const auto expect = [&](const Matrix<double>& places, Index q, Index left_out, double value, double square) {
        double total = 0;
        double sum = 0;
        double squares = 0;
        for (Index i = 0; i < 40; ++i) {
          // One copy is left out, the others stay.
          const double weight = std::max(0.0, weights[i] - (i == left_out ? 1 : 0));
          const double l = weight * window.profile(squared_distance(shape, places, q, points, i));
          total += l;
          sum += l * columns(i, 1);
          squares += weight > 0 ? l * l / weight : 0;
        }
        if (total > 0) {
          EXPECT_NEAR(value, sum / total, 1e-10);
          EXPECT_NEAR(square, squares / (total * total), 1e-10);
        }
      };
      for (Index q = 0; q < 7; ++q) {
        expect(queries, q, -1, found.values(q, 1), found.squares[q]);
        double sum = 0;
        for (Index i = 0; i < 40; ++i) {
          sum += kernels(q, i);
        }
        EXPECT_NEAR(sum, 1, 1e-12);
      }
      for (Index i = 0; i < 40; ++i) {
        expect(points, i, i, others.values(i, 1), others.squares[i]);
      }
    }
  }
}

TEST(WindowAverage, FarQueriesHaveAnswers) {
  Matrix<double> points(3, 1);
  points(0, 0) = 0;
  points(1, 0) = 1;
  points(2, 0) = 1;
  Matrix<double> columns(3, 1);
  columns(0, 0) = 5;
  columns(1, 0) = 2;
  columns(2, 0) = 4;
  Matrix<double> far(1, 1);
  far(0, 0) = 1e6;
  for (const SmoothingShape shape : smoothing_shapes) {
    const WindowAverage average(points, {1, 1, 1}, shape);
    const double value = average.averages(far.view(), columns.view(), {}).values(0, 0);
    // The nearest two; the slow decay of the exponential window keeps a share of e^-1 for the third.
    const double third = shape == SmoothingShape::exponential ? std::exp(-1.0) : 0;
    EXPECT_NEAR(value, (6 + 5 * third) / (2 + third), 1e-9);
    // Where squared distances overflow all points are at one place.
    Matrix<double> beyond(1, 1);
    beyond(0, 0) = 1e200;
    EXPECT_NEAR(average.averages(beyond.view(), columns.view(), {}).values(0, 0), 11.0 / 3, 1e-12);
  }
  EXPECT_ERROR(WindowAverage(Matrix<double>(0, 1), {}, SmoothingShape::gaussian), InvalidArgument,
               "averages need at least one point");
  Matrix<double> one(1, 1);
  one(0, 0) = 3;
  EXPECT_EQ(WindowAverage(one, {2}, SmoothingShape::gaussian).leave_one_out(far.view(), {}).values(0, 0), 1e6);
}

TEST(WindowAverage, ErrorAndGradientOfLeaveOneOut) {
  const Index d = 3;
  const Matrix<double> points = random_matrix(50, d, 11);
  const Matrix<double> targets = random_matrix(50, 2, 12);
  const std::vector<double> weights = some_weights(50);
  std::vector<double> bandwidths = {0.7, 1.1, 2.0};
  const WindowError error = leave_one_out_error(points.view(), weights, targets.view(), bandwidths, {});
  Matrix<double> scaled = Matrix<double>::copy_of(points.view());
  for (Index i = 0; i < 50; ++i) {
    for (Index j = 0; j < d; ++j) {
      scaled(i, j) /= bandwidths[j];
    }
  }
  const WindowAverage::Averages others =
      WindowAverage(scaled, weights, SmoothingShape::gaussian).leave_one_out(targets.view(), {});
  double expected = 0;
  double total = 0;
  for (Index i = 0; i < 50; ++i) {
    const double weight = weights[i];
    total += weight;
    for (Index o = 0; o < 2; ++o) {
      expected += weight * std::pow(targets(i, o) - others.values(i, o), 2);
    }
  }
  EXPECT_NEAR(error.value, expected / total, 1e-10);
  for (std::size_t j = 0; j < 3; ++j) {
    const double step = 1e-5;
    std::vector<double> moved = bandwidths;
    moved[j] = bandwidths[j] * std::exp(step);
    const double above = leave_one_out_error(points.view(), weights, targets.view(), moved, {}).value;
    moved[j] = bandwidths[j] * std::exp(-step);
    const double below = leave_one_out_error(points.view(), weights, targets.view(), moved, {}).value;
    EXPECT_NEAR(error.gradient[j], (above - below) / (2 * step), 1e-7);
  }
  const WindowError three =
      leave_one_out_error(points.view(), weights, targets.view(), bandwidths, mercer::Run{{.threads = 3}});
  EXPECT_EQ(three.value, error.value);
  EXPECT_EQ(three.gradient, error.gradient);
}

}  // namespace
}  // namespace mercer
