// The ε-margin: the closed form of linear functions, and the bound of all others, over many pairs of inputs.
#include "mercer/select/estimates/epsilon_margin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"

namespace mercer {
namespace {

struct MarginData {
  Matrix<double> x;
  TrainingData data;
};

MarginData margin_data(Index n) {
  RandomStream random(4, 31);
  MarginData result{.x = Matrix<double>(n, 2), .data = {}};
  std::vector<double> y;
  for (Index i = 0; i < n; ++i) {
    result.x(i, 0) = random.normal();
    result.x(i, 1) = random.normal();
    y.push_back(3 * result.x(i, 0) - 4 * result.x(i, 1) + 0.01 * random.normal());
  }
  result.data = {make_dense(Matrix<double>::copy_of(result.x.view())), Targets::numeric(y, "y"), {}};
  return result;
}

SvrOptions margin_options() {
  SvrOptions options;
  options.C = 100;
  options.epsilon = 0.5;
  options.standardize = false;
  options.tolerance = 1e-8;
  return options;
}

// f = ⟨w, x⟩ + b changes by 2ε over a distance of 2ε/‖w‖ along w, and over no shorter one.
TEST(EpsilonMargin, OfALinearFunctionIsExact) {
  const MarginData problem = margin_data(60);
  const auto model = fit_svr(parse_kernel("linear()"), margin_options(), problem.data);
  const double margin = epsilon_margins(*model, {}).front();
  Matrix<double> points(3, 2);  // 0, and the two unit vectors: w
  points(0, 0) = points(0, 1) = points(1, 1) = points(2, 0) = 0;
  points(1, 0) = points(2, 1) = 1;
  const Matrix<double> f = model->predict(make_dense(std::move(points)), {});
  const double w = std::hypot(f(1, 0) - f(0, 0), f(2, 0) - f(0, 0));
  EXPECT_NEAR(margin, 2 * 0.5 / w, 1e-9);
  EXPECT_NEAR(margin, 0.2, 0.05);
}

TEST(EpsilonMargin, IsABoundInFeatureSpace) {
  const MarginData problem = margin_data(80);
  const auto model = fit_svr(parse_kernel("rbf(gamma=0.3)"), margin_options(), problem.data);
  const double margin = epsilon_margins(*model, {}).front();
  const Matrix<double> f = model->predict(problem.data.samples, {});
  Index far = 0;
  for (Index i = 0; i < 80; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double squared =
          std::pow(problem.x(i, 0) - problem.x(j, 0), 2) + std::pow(problem.x(i, 1) - problem.x(j, 1), 2);
      if (std::abs(f(i, 0) - f(j, 0)) >= 1.0) {
        ++far;
        EXPECT_GE(std::sqrt(2 - 2 * std::exp(-0.3 * squared)), margin);
      }
    }
  }
  EXPECT_GT(far, 1000);
}

TEST(EpsilonMargin, OfAConstantIsInfinite) {
  MarginData problem = margin_data(10);
  problem.data.targets = Targets::numeric(std::vector<double>(10, 2.0), "y");
  const auto model = fit_svr(parse_kernel("linear()"), margin_options(), problem.data);
  EXPECT_EQ(epsilon_margins(*model, {}).front(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace mercer
