// Thresholds against brute force over all of them, rates against their definition and against new rows.
#include "mercer/select/decision_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

const std::vector<std::string> ab = {"a", "b"};

struct Drawn {
  std::vector<double> values;
  std::vector<std::int32_t> classes;
  std::vector<double> weights;

  ValuesOfClasses rows() const { return {values, classes, weights}; }
};

// Values with many ties.
Drawn draw(std::uint64_t seed, int n) {
  RandomStream random(seed, 3);
  Drawn drawn;
  for (int i = 0; i < n; ++i) {
    drawn.classes.push_back(i < 2 ? i : random.uniform() < 0.4 ? 1 : 0);
    drawn.values.push_back(std::round(2 * (random.normal() + drawn.classes.back())) / 2);
    drawn.weights.push_back(std::floor(4 * random.uniform()) + (i < 2 ? 1 : 0));
  }
  return drawn;
}

double cost_of(const Drawn& drawn, const DecisionRule& rule, double threshold) {
  double totals[2] = {0, 0};
  for (std::size_t i = 0; i < drawn.values.size(); ++i) {
    totals[drawn.classes[i]] += drawn.weights[i];
  }
  double cost = 0;
  for (std::size_t i = 0; i < drawn.values.size(); ++i) {
    const int c = drawn.classes[i];
    const double factor = rule.priors.empty() ? 1 : rule.priors[c] / totals[c];
    cost += factor * drawn.weights[i] * rule.cost(c, drawn.values[i] >= threshold ? 1 : 0, 2);
  }
  return cost;
}

TEST(DecisionThreshold, CostsLeastOfAll) {
  RandomStream random(1, 5);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Drawn drawn = draw(seed, 2 + static_cast<int>(seed % 25));
    DecisionRule rule{.costs = {random.uniform(), 4 * random.uniform(), 3 * random.uniform(), 0}};
    if (seed % 2 == 0) {
      const double share = random.uniform();
      rule.priors = {share, 1 - share};
    }
    const double found = threshold_of_least_cost(drawn.rows(), rule, 0);
    double least = std::min(cost_of(drawn, rule, -100), cost_of(drawn, rule, 100));
    for (const double value : drawn.values) {
      least = std::min(least, cost_of(drawn, rule, value));
    }
    EXPECT_NEAR(cost_of(drawn, rule, found), least, 1e-11 * (1 + least)) << seed;
  }
}

TEST(DecisionThreshold, IsTheModelsOwnWhereThatIsAsGood) {
  const std::vector<double> values = {-2, -1, 1, 2};
  const std::vector<std::int32_t> classes = {0, 0, 1, 1};
  EXPECT_EQ(threshold_of_least_cost({values, classes}, {}, 0.25), 0.25);
  EXPECT_EQ(threshold_of_least_cost({values, classes}, {}, 5), 0);  // the middle of the only gap
  // Beyond both ends: values that say the opposite, and a class that may not be missed.
  const std::vector<double> two = {-1, 1};
  const std::vector<std::int32_t> opposite = {1, 0};
  EXPECT_EQ(threshold_of_least_cost({two, opposite}, {.costs = {0, 0, 1, 0}}, 3), -2);
  EXPECT_EQ(threshold_of_least_cost({two, opposite}, {.costs = {0, 1, 0, 0}}, -3), 2);
}

TEST(DecisionThreshold, WeightsAreCopies) {
  const Drawn drawn = draw(7, 30);
  Drawn copies;
  for (std::size_t i = 0; i < drawn.values.size(); ++i) {
    for (int copy = 0; copy < drawn.weights[i]; ++copy) {
      copies.values.push_back(drawn.values[i]);
      copies.classes.push_back(drawn.classes[i]);
    }
  }
  const ValuesOfClasses once{copies.values, copies.classes};
  const DecisionRule rule{.costs = {0, 1, 3, 0}};
  EXPECT_EQ(threshold_of_least_cost(drawn.rows(), rule, 0), threshold_of_least_cost(once, rule, 0));
  EXPECT_EQ(threshold_at_rate(drawn.rows(), {.rate = 0.2}, ab), threshold_at_rate(once, {.rate = 0.2}, ab));
}

// floor((n+1) r) - 1 negatives may lie above.
TEST(DecisionThreshold, ARateLeavesSoManyNegativesAbove) {
  std::vector<double> values;
  std::vector<std::int32_t> classes;
  for (int i = 0; i < 99; ++i) {
    values.push_back(i);
    classes.push_back(0);
  }
  values.push_back(94.5);
  classes.push_back(1);
  for (const auto& [rate, above] : {std::pair{0.01, 0}, {0.02, 1}, {0.05, 4}, {0.29, 28}, {0.5, 49}, {0.999, 98}}) {
    const double t = threshold_at_rate({values, classes}, {.rate = rate}, ab);
    EXPECT_EQ(std::ranges::count_if(values, [&](double v) { return v >= t && v != 94.5; }), above) << rate;
  }
  // t lies in the middle of the gap above the last negative that must not be positive, here up to the positive row.
  EXPECT_EQ(threshold_at_rate({values, classes}, {.rate = 0.05}, ab), 94.25);
  EXPECT_GT(threshold_at_rate({values, classes}, {.rate = 0.01}, ab), 98);
}

TEST(DecisionThreshold, TheFirstClassMayBeThePositiveOne) {
  const Drawn drawn = draw(9, 80);
  Drawn mirrored = drawn;
  for (std::size_t i = 0; i < drawn.values.size(); ++i) {
    mirrored.values[i] = -drawn.values[i];
    mirrored.classes[i] = 1 - drawn.classes[i];
  }
  const double t = threshold_at_rate(drawn.rows(), {.rate = 0.1, .positive = 0}, ab);
  EXPECT_EQ(t, -threshold_at_rate(mirrored.rows(), {.rate = 0.1, .positive = 1}, ab));
}

TEST(DecisionThreshold, TheRateHoldsOnNewRows) {
  constexpr int repetitions = 4000;
  for (const double rate : {0.02, 0.1, 0.3}) {
    double sum = 0;
    RandomStream random(4, 4);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      std::vector<double> values;
      for (int i = 0; i < 60; ++i) {
        values.push_back(random.uniform());
      }
      const std::vector<std::int32_t> classes(values.size(), 0);
      // Of uniform values P(v >= t) is known.
      sum += 1 - std::min(1.0, threshold_at_rate({values, classes}, {.rate = rate}, ab));
    }
    // (n+1-k)/(n+1) in expectation but for half a gap; the deviation of one rate is below sqrt(r/n).
    const double exact = std::floor(61 * rate) / 61;
    EXPECT_LT(sum / repetitions, exact + 4 * std::sqrt(rate / 60 / repetitions)) << rate;
    EXPECT_GT(sum / repetitions, exact - 0.5 / 61 - 4 * std::sqrt(rate / 60 / repetitions)) << rate;
  }
}

TEST(DecisionThreshold, AClassThatNeverOccursIsNeverAnswered) {
  const std::vector<double> values = {1, 2, 3};
  const std::vector<std::int32_t> classes = {0, 1, 0};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(threshold_of_least_cost({values, classes}, {.priors = {1, 0}}, 0), infinity);
  EXPECT_EQ(threshold_of_least_cost({values, classes}, {.priors = {0, 1}}, 0), -infinity);
  EXPECT_EQ(describe({.threshold = infinity}, ab), "never b");
  EXPECT_EQ(describe({.threshold = -infinity}, ab), "never a");
}

TEST(DecisionThreshold, HugeCostsAreThoseOfTheirRatios) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Drawn drawn = draw(seed, 25);
    const double by_ratio = threshold_of_least_cost(drawn.rows(), {.costs = {0, 1, 5, 0}}, 0);
    EXPECT_EQ(threshold_of_least_cost(drawn.rows(), {.costs = {0, 0x1p1020, 5 * 0x1p1020, 0}}, 0), by_ratio);
  }
}

TEST(DecisionThreshold, WhatCannotBeIsSaid) {
  const std::vector<double> values = {1, 2, 3};
  const std::vector<std::int32_t> classes = {0, 1, 0};
  const ValuesOfClasses rows{values, classes};
  EXPECT_ERROR(threshold_at_rate(rows, {.rate = 0}, ab), InvalidArgument, "no rows can promise");
  EXPECT_ERROR(threshold_at_rate(rows, {.rate = 1}, ab), InvalidArgument, "every row would be called positive");
  EXPECT_ERROR(threshold_at_rate(rows, {.rate = 0.1}, ab), InvalidArgument, "needs 9 rows at least that are not 'b'");
  EXPECT_ERROR(threshold_at_rate(rows, {.rate = 0.1}, ab), InvalidArgument, "there are 2");
  EXPECT_ERROR(threshold_at_rate(rows, {.rate = 0.3, .positive = 0}, ab), InvalidArgument, "not 'a', there are 1");
  EXPECT_ERROR(threshold_at_rate(rows, {.rate = std::nan("")}, ab), InvalidArgument, "between 0 and 1");
  const std::vector<double> unknown = {1, std::nan(""), 3};
  EXPECT_ERROR(threshold_of_least_cost({unknown, classes}, {}, 0), InvalidArgument, "row 1 is not finite");
  const std::vector<std::int32_t> three = {0, 1, 2};
  EXPECT_ERROR(threshold_of_least_cost({values, three}, {}, 0), InvalidArgument, "row 2 is of class 2");
  const std::vector<std::int32_t> one_class = {0, 0, 0};
  EXPECT_ERROR(threshold_of_least_cost({values, one_class}, {.priors = {0.5, 0.5}}, 0), InvalidArgument,
               "rows of both classes");
  EXPECT_ERROR(threshold_of_least_cost({}, {}, 0), InvalidArgument, "no samples");
  EXPECT_ERROR(threshold_of_least_cost(rows, {.costs = {0, 0, 0, 0}}, 0), InvalidArgument, "all of them are 0");
  const std::vector<double> negative = {1, -1, 1};
  EXPECT_ERROR(threshold_of_least_cost({values, classes, negative}, {}, 0), InvalidArgument, "weight of row 1");
}

}  // namespace
}  // namespace mercer
