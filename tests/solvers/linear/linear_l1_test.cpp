// The l1 penalty: certified optima, exact zeros, columns that the penalty switches off.
#include <gtest/gtest.h>

#include "solvers/linear_oracle.h"

namespace mercer {
namespace {

using namespace test;

constexpr LinearLoss squared_losses[] = {LinearLoss::squared_hinge, LinearLoss::squared_epsilon_insensitive};

TEST(LinearL1, GapIsTrueAndSmallForEveryLossInterceptAndStorage) {
  std::uint64_t seed = 100;
  for (const LinearLoss loss : squared_losses) {
    for (const LinearIntercept intercept : all_intercepts) {
      for (const Storage storage : all_storages) {
        RandomStream random(++seed);
        const auto rows = static_cast<Index>(2 + random.below(200));
        const auto columns = static_cast<Index>(1 + random.below(40));
        const LinearData data = random_data(rows, columns, loss, seed);
        const LinearSvmOptions options{.loss = loss,
                                       .penalty = LinearPenalty::l1,
                                       .intercept = intercept,
                                       .intercept_scale = 1.5,
                                       .tolerance = 1e-7,
                                       .max_passes = 200000};
        SCOPED_TRACE(std::string(word_of(loss)) + " " + std::string(word_of(intercept)) + " " + std::to_string(rows) +
                     " x " + std::to_string(columns));
        expect_certified(data, options, solve(data, options, {}, storage));
      }
    }
  }
}

TEST(LinearL1, WeightsAreZeroWhereTheSlopeIsInside) {
  for (const LinearLoss loss : squared_losses) {
    LinearData data = random_data(100, 50, loss, 4);
    std::fill(data.bounds.begin(), data.bounds.end(), 0.05);
    const LinearSvmOptions options{.loss = loss, .penalty = LinearPenalty::l1, .tolerance = 1e-9, .max_passes = 100000};
    const LinearSvmResult result = solve(data, options);
    expect_certified(data, options, result);
    const std::vector<double> slopes = combination(data, options, result.dual_variables);
    Index zeros = 0;
    for (std::size_t j = 0; j < result.weights.size(); ++j) {
      if (result.weights[j] == 0) {
        ++zeros;
      } else {
        EXPECT_NEAR(slopes[j], std::copysign(1.0, result.weights[j]), 1e-3);
      }
    }
    EXPECT_GT(zeros, 5);
    EXPECT_LT(zeros, 50);
  }
}

TEST(LinearL1, SmallBoundsSwitchEverythingOff) {
  LinearData data = random_data(100, 10, LinearLoss::squared_hinge, 4);
  std::fill(data.bounds.begin(), data.bounds.end(), 1e-5);
  const LinearSvmOptions options{.loss = LinearLoss::squared_hinge, .penalty = LinearPenalty::l1, .tolerance = 1e-12};
  const LinearSvmResult result = solve(data, options);
  expect_certified(data, options, result);
  EXPECT_EQ(result.weights, std::vector<double>(10));
  // Without weights the best constant is the mean of the labels.
  double mean = 0;
  for (const double target : data.targets) {
    mean += target / 100;
  }
  EXPECT_NEAR(result.intercept, mean, 1e-9);
}

}  // namespace
}  // namespace mercer
