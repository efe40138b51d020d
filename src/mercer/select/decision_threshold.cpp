#include "mercer/select/decision_threshold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require_rows(const ValuesOfClasses& rows) {
  require_same_length(rows.values.size(), rows.classes.size());
  if (!rows.weights.empty()) {
    require_one_each(rows.values.size(), rows.weights.size());
  }
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    if (!std::isfinite(rows.values[i])) {
      throw InvalidArgument("the decision value of row " + std::to_string(i) +
                            " is not finite: no threshold can be chosen from it");
    }
    if (rows.classes[i] < 0 || rows.classes[i] > 1) {
      throw InvalidArgument("a threshold parts two classes, 0 and 1; row " + std::to_string(i) + " is of class " +
                            std::to_string(rows.classes[i]));
    }
    if (!rows.weights.empty() && !(rows.weights[i] >= 0 && std::isfinite(rows.weights[i]))) {
      throw InvalidArgument("the weight of row " + std::to_string(i) + " is not a finite number of 0 or more");
    }
  }
}

double weight_of(const ValuesOfClasses& rows, std::size_t row) {
  return rows.weights.empty() ? 1.0 : rows.weights[row];
}

// The weights of both classes at every different value, ascending.
struct Step {
  double value = 0;
  std::array<double, 2> weight = {};
};

std::vector<Step> steps_of(const ValuesOfClasses& rows) {
  std::vector<std::size_t> order(rows.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows.values[i]; });
  std::vector<Step> steps;
  for (const std::size_t i : order) {
    if (steps.empty() || steps.back().value != rows.values[i]) {
      steps.push_back({.value = rows.values[i]});
    }
    steps.back().weight[static_cast<std::size_t>(rows.classes[i])] += weight_of(rows, i);
  }
  return steps;
}

// A number t with low < t ≤ high, its middle where doubles have one.
double inside(double low, double high) {
  const double middle = low + (high - low) / 2;
  return middle > low ? middle : high;
}

// Where [v ≥ t] is the same for all t in (low, high]: the one nearest to `own`, or the middle.
double threshold_between(double low, double high, double own) {
  if (low < own && own <= high) {
    return own;
  }
  if (std::isinf(low)) {
    return high - std::max(1.0, std::abs(high));
  }
  if (std::isinf(high)) {
    return low + std::max(1.0, std::abs(low));
  }
  return inside(low, high);
}

double distance_to(double low, double high, double own) {
  return low < own && own <= high ? 0 : std::min(std::abs(low - own), std::abs(high - own));
}

// π/s of both classes, s by the weights of these rows.
std::array<double, 2> factors_of(const std::vector<Step>& steps, const DecisionRule& rule) {
  if (rule.priors.empty()) {
    return {1, 1};
  }
  std::array<double, 2> totals = {};
  for (const Step& step : steps) {
    totals[0] += step.weight[0];
    totals[1] += step.weight[1];
  }
  if (!(totals[0] > 0 && totals[1] > 0)) {
    throw InvalidArgument("priors: rows of both classes are needed for a threshold");
  }
  return {rule.priors[0] / totals[0], rule.priors[1] / totals[1]};
}

// The same costs divided by a power of two, none above 1: sums of large ones would overflow.
DecisionRule scaled(DecisionRule rule) {
  if (!rule.costs.empty()) {
    int exponent = 0;
    std::frexp(*std::ranges::max_element(rule.costs), &exponent);
    for (double& cost : rule.costs) {
      cost = std::ldexp(cost, -exponent);
    }
  }
  return rule;
}

// Where one class never occurs: a threshold beyond all values, if the other is the answer to rows of it.
std::optional<double> threshold_of_one_class(const DecisionRule& rule) {
  if (!rule.priors.empty() && rule.priors[1] == 0 && !(rule.cost(0, 1, 2) < rule.cost(0, 0, 2))) {
    return infinity;
  }
  if (!rule.priors.empty() && rule.priors[0] == 0 && !(rule.cost(1, 0, 2) < rule.cost(1, 1, 2))) {
    return -infinity;
  }
  return std::nullopt;
}

double cost_at(const Step& step, Index decision, const DecisionRule& rule, const std::array<double, 2>& factors) {
  return factors[0] * step.weight[0] * rule.cost(0, decision, 2) +
         factors[1] * step.weight[1] * rule.cost(1, decision, 2);
}

}  // namespace

double threshold_of_least_cost(const ValuesOfClasses& rows, const DecisionRule& asked, double own) {
  require_rows(rows);
  require_rule({.costs = asked.costs, .priors = asked.priors}, 2);
  if (const std::optional<double> beyond = threshold_of_one_class(asked)) {
    return *beyond;
  }
  const DecisionRule rule = scaled(asked);
  const std::vector<Step> steps = steps_of(rows);
  const std::array<double, 2> factors = factors_of(steps, rule);
  // The cost of t in (steps[g-1], steps[g]]: those below are of class 0, those from g on of class 1.
  std::vector<double> costs(steps.size() + 1, 0.0);
  for (std::size_t g = 0; g < steps.size(); ++g) {
    costs[g + 1] = costs[g] + cost_at(steps[g], 0, rule, factors);
  }
  double above = 0;
  double scale = costs.back();
  for (std::size_t g = steps.size(); g-- > 0;) {
    above += cost_at(steps[g], 1, rule, factors);
    costs[g] += above;
    scale = std::max(scale, above);
  }
  // Sums of the same costs in another order are equal to rounding.
  const double least = *std::ranges::min_element(costs) + 1e-12 * scale;
  double best = own;
  double nearest = infinity;
  for (std::size_t g = 0; g < costs.size(); ++g) {
    const double low = g == 0 ? -infinity : steps[g - 1].value;
    const double high = g == steps.size() ? infinity : steps[g].value;
    if (costs[g] <= least && distance_to(low, high, own) < nearest) {
      nearest = distance_to(low, high, own);
      best = threshold_between(low, high, own);
    }
  }
  return best;
}

double threshold_at_rate(const ValuesOfClasses& rows, RateWanted wanted, std::span<const std::string> names) {
  require_rows(rows);
  if (!(wanted.rate > 0 && wanted.rate < 1)) {
    throw InvalidArgument("a rate of false positives is between 0 and 1, not " + shortest(wanted.rate) +
                          (wanted.rate == 0   ? ": that there are none at all no rows can promise"
                           : wanted.rate == 1 ? ": every row would be called positive"
                                              : ""));
  }
  if (wanted.positive != 0 && wanted.positive != 1) {
    throw InvalidArgument("the positive class is one of two, 0 or 1");
  }
  // Larger is more positive.
  const double sign = wanted.positive == 1 ? 1.0 : -1.0;
  std::vector<double> signed_values(rows.values.begin(), rows.values.end());
  for (double& value : signed_values) {
    value *= sign;
  }
  const auto negative = static_cast<std::size_t>(1 - wanted.positive);
  const std::vector<Step> steps = steps_of({signed_values, rows.classes, rows.weights});
  double total = 0;
  for (const Step& step : steps) {
    total += step.weight[negative];
  }
  // Of n negatives floor((n+1) r) - 1 may lie above; a rounding below a whole number is that number.
  const double allowed = (total + 1) * wanted.rate * (1 + 1e-12) - 1;
  if (allowed < 0) {
    throw InvalidArgument("a rate of false positives of " + shortest(wanted.rate) + " needs " +
                          shortest(std::ceil(1 / wanted.rate * (1 - 1e-12)) - 1) + " rows at least that are not '" +
                          names[wanted.positive] + "', there are " + shortest(total) +
                          "; the least rate with these is " + shortest(1 / (total + 1)));
  }
  std::size_t g = steps.size();
  for (double beyond = 0; g > 0 && beyond + steps[g - 1].weight[negative] <= allowed; --g) {
    beyond += steps[g - 1].weight[negative];
  }
  // Positive from steps[g] on; steps[g-1] holds negatives that may not be.
  const double low = steps[g == 0 ? 0 : g - 1].value;
  const double high = g == steps.size() ? infinity : steps[g].value;
  return sign * (std::isinf(high) ? std::nextafter(low, infinity) : inside(low, high));
}

}  // namespace mercer
