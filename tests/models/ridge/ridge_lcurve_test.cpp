// The L-curve against refits and differences: its two coordinates, its slope, its curvature, its corner.
#include "mercer/models/ridge/ridge_lcurve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/kernels/spec.h"
#include "mercer/models/ridge/ridge_path.h"
#include "models/random_problem.h"
#include "support/dense.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::random_matrix;
using testing::random_problem;
using testing::random_weights;

struct LCurveCase {
  std::string spec;
  bool intercept = true;
  bool linear_part = false;
};

std::vector<LCurveCase> lcurve_cases() {
  return {{"rbf(gamma=0.5)"},
          {"rbf(gamma=0.5)", false},
          {"rbf(gamma=0.5)", true, true},
          {"negative_distance()"},
          {"thin_plate(lengthscale=1)", true, true},
          {"3*linear()"}};
}

RidgeOptions lcurve_options(const LCurveCase& c) {
  return {.parametric = c.linear_part ? ParametricPart::linear
                        : c.intercept ? ParametricPart::constant
                                      : ParametricPart::none};
}

TrainingData weighted_problem() {
  TrainingData data = random_problem(18, 2, 2, 5);
  data.weights = random_weights(18, 6);
  return data;
}

RidgePathPoint point_at(const LCurveCase& c, const TrainingData& data, double lambda) {
  return ridge_path(parse_kernel(c.spec), lcurve_options(c), data, std::vector<double>{lambda}).points.front();
}

// ‖f‖² = αᵀKα of the refit's expansion in dual form, and its weighted squared errors, summed over the outputs.
TEST(RidgeLCurve, ErrorAndSizeAreThoseOfRefits) {
  const TrainingData data = weighted_problem();
  const Matrix<double> y = data.targets.values();
  for (const LCurveCase& c : lcurve_cases()) {
    for (const double lambda : {0.1, 1.0, 20.0}) {
      const Kernel kernel = parse_kernel(c.spec);
      RidgeOptions options = lcurve_options(c);
      options.lambda = lambda;
      options.form = RidgeForm::dual;
      const auto model = fit_ridge(kernel, options, data);
      const Dense alpha(Matrix<double>::copy_of(model->expansion_form()->coefficients()));
      const Dense k(testing::kernel_matrix(kernel, data.samples, data.samples));
      const Dense errors = Dense(y) - Dense(model->predict(data.samples, {}));
      double squares = 0;
      for (Index i = 0; i < data.samples.size(); ++i) {
        squares += data.weights[i] * errors.row(i).squared_norm();
      }
      const double norm = (alpha.transpose() * k * alpha).trace();
      const RidgePathPoint point = point_at(c, data, lambda);
      EXPECT_NEAR(point.residual_squares, squares, 1e-9 * squares) << c.spec << " " << lambda;
      EXPECT_NEAR(point.squared_norm, norm, 1e-8 * norm) << c.spec << " " << lambda;
    }
  }
}

// dR/dΩ = −λ, and the curvature of (ln √R, ln √Ω), by central differences in ln λ.
TEST(RidgeLCurve, SlopeAndCurvatureAreThoseOfDifferences) {
  const TrainingData data = weighted_problem();
  constexpr double step = 1e-3;
  for (const LCurveCase& c : lcurve_cases()) {
    for (const double lambda : {0.1, 1.0, 20.0}) {
      const RidgePathPoint here = point_at(c, data, lambda);
      const RidgePathPoint below = point_at(c, data, lambda * std::exp(-step));
      const RidgePathPoint above = point_at(c, data, lambda * std::exp(step));
      EXPECT_NEAR((above.residual_squares - below.residual_squares) / (above.squared_norm - below.squared_norm),
                  -lambda, 1e-5 * lambda)
          << c.spec;
      const auto first = [&](double a, double b) { return std::log(b / a) / 4 / step; };
      const auto second = [&](double a, double m, double b) { return std::log(a * b / (m * m)) / 2 / step / step; };
      const double x1 = first(below.residual_squares, above.residual_squares);
      const double y1 = first(below.squared_norm, above.squared_norm);
      const double x2 = second(below.residual_squares, here.residual_squares, above.residual_squares);
      const double y2 = second(below.squared_norm, here.squared_norm, above.squared_norm);
      const double expected = (x1 * y2 - x2 * y1) / std::pow(std::hypot(x1, y1), 3);
      EXPECT_NEAR(here.curvature, expected, 1e-4 * (1 + std::abs(expected))) << c.spec << " " << lambda;
    }
  }
}

// y = sin(2x) and noise: the curve has a corner, no neighbor bends more, and the choice is of that order that GCV makes.
TEST(RidgeLCurve, TheCornerBendsMost) {
  const Matrix<double> x = random_matrix(80, 1, 7);
  const Matrix<double> e = random_matrix(80, 1, 8);
  std::vector<double> y;
  for (Index i = 0; i < 80; ++i) {
    y.push_back(std::sin(2 * x(i, 0)) + 0.1 * e(i, 0));
  }
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y, "y")};
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const RidgePath path = ridge_path(kernel, {}, data);
  ASSERT_TRUE(path.corner);
  const double lambda = path.corner->lambda;
  for (const double factor : {0.9, 0.99, 1.01, 1.1}) {
    EXPECT_GT(path.corner->curvature, point_at({"rbf(gamma=1)"}, data, factor * lambda).curvature);
  }
  for (const RidgePathPoint& point : path.points) {
    EXPECT_GE(path.corner->curvature, point.curvature);
  }
  EXPECT_LT(std::abs(std::log10(lambda / path.points[path.best_gcv].lambda)), 3);

  const auto model = fit_ridge(kernel, {.select = PenaltyChoice::l_curve}, data);
  const auto same = fit_ridge(kernel, {.lambda = lambda}, data);
  EXPECT_TRUE(testing::same_bits(model->predict(data.samples, {}), same->predict(data.samples, {})));
}

TEST(RidgeLCurve, ScalesOfTheTargetsMoveNoCorner) {
  const TrainingData data = random_problem(30, 2, 1, 11);
  TrainingData scaled = data;
  Matrix<double> y = data.targets.values();
  for (Index i = 0; i < y.rows(); ++i) {
    y(i, 0) *= 1e-150;
  }
  scaled.targets = Targets::numeric(y.view());
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const RidgePath plain = ridge_path(kernel, {}, data);
  const RidgePath tiny = ridge_path(kernel, {}, scaled);
  ASSERT_EQ(plain.corner.has_value(), tiny.corner.has_value());
  if (plain.corner) {
    EXPECT_NEAR(tiny.corner->lambda, plain.corner->lambda, 1e-5 * plain.corner->lambda);
  }
}

TEST(RidgeLCurve, ConstantTargetsHaveNoCorner) {
  TrainingData data = random_problem(12, 2, 1, 3);
  data.targets = Targets::numeric(std::vector<double>(12, 4.5), "y");
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const RidgePath path = ridge_path(kernel, {}, data);
  EXPECT_FALSE(path.corner);
  EXPECT_EQ(path.points.front().squared_norm, 0);
  EXPECT_TRUE(std::isnan(path.points.front().curvature));
  const auto model = fit_ridge(kernel, {.select = PenaltyChoice::l_curve}, data);
  const auto by_gcv = fit_ridge(kernel, {.select = PenaltyChoice::generalized_cross_validation}, data);
  ASSERT_FALSE(model->report().notes.empty());
  EXPECT_TRUE(model->report().notes.front().text.find("the L-curve has no corner") != std::string::npos);
  EXPECT_TRUE(testing::same_bits(model->predict(data.samples, {}), by_gcv->predict(data.samples, {})));
}

}  // namespace
}  // namespace mercer
