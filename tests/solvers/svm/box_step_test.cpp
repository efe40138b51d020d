#include "mercer/solvers/svm/box_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"

namespace mercer {
namespace {

struct BoxModel {
  Matrix<double> b;
  std::vector<double> gradient;
  std::vector<double> lower;
  std::vector<double> upper;

  double value(std::span<const double> d) const {
    double sum = 0;
    for (Index i = 0; i < b.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      sum += gradient[at] * d[at];
      for (Index j = 0; j < b.rows(); ++j) {
        sum += 0.5 * d[at] * b(i, j) * d[j];
      }
    }
    return sum;
  }
};

BoxModel random_model(Index n, std::uint64_t seed) {
  RandomStream random(seed, 1);
  BoxModel model{Matrix<double>::filled(n, n, 0.0), {}, {}, {}};
  Matrix<double> a(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      a(i, j) = random.normal();
    }
    model.gradient.push_back(3 * random.normal());
    model.lower.push_back(random.uniform() < 0.2 ? 0.0 : -random.uniform());
    model.upper.push_back(random.uniform() < 0.2 ? 0.0 : random.uniform());
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) {
        model.b(i, j) += a(i, k) * a(j, k);
      }
    }
    model.b(i, i) += 0.01;
  }
  return model;
}

// The conditions of the minimum of a convex function: no slope inside, none that points into the box at a bound.
TEST(BoxStep, MeetsTheConditionsOfTheMinimum) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 12);
    const BoxModel model = random_model(n, seed);
    const BoxStep found = minimize_model_in_box(model.b.view(), model.gradient, model.lower, model.upper, {});
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      double slope = model.gradient[at];
      for (Index j = 0; j < n; ++j) {
        slope += model.b(i, j) * found.step[j];
      }
      EXPECT_GE(found.step[at], model.lower[at]);
      EXPECT_LE(found.step[at], model.upper[at]);
      if (found.step[at] > model.lower[at]) {
        EXPECT_LT(slope, 1e-9) << seed;
      }
      if (found.step[at] < model.upper[at]) {
        EXPECT_GT(slope, -1e-9) << seed;
      }
    }
    EXPECT_NEAR(found.decrease, -model.value(found.step), 1e-9 * (1 + std::abs(found.decrease)));
  }
}

TEST(BoxStep, StaysWhereNothingCanMove) {
  const BoxModel model = random_model(3, 7);
  const std::vector<double> zero(3, 0.0);
  const BoxStep found = minimize_model_in_box(model.b.view(), model.gradient, zero, zero, {});
  EXPECT_EQ(found.step, zero);
  EXPECT_EQ(found.decrease, 0);
  EXPECT_TRUE(minimize_model_in_box({}, {}, {}, {}, {}).step.empty());
}

TEST(BoxStep, AModelWithoutCurvatureIsNotFollowed) {
  const auto flat = Matrix<double>::filled(2, 2, 0.0);
  const std::vector<double> gradient = {1, -1};
  const std::vector<double> lower = {-1, -1};
  const std::vector<double> upper = {1, 1};
  const BoxStep found = minimize_model_in_box(flat.view(), gradient, lower, upper, {});
  EXPECT_GE(found.decrease, 0);
}

}  // namespace
}  // namespace mercer
