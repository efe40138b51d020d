#include "mercer/models/decision_rule.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr double undecided = -1;

bool is_price(double number) { return number >= 0 && std::isfinite(number); }

void require_costs(const std::vector<double>& costs, std::size_t classes) {
  if (costs.size() != classes * classes) {
    throw InvalidArgument("costs: " + std::to_string(costs.size()) + " numbers for " + std::to_string(classes) +
                          " classes; there is one for every true class and every decision, " +
                          std::to_string(classes * classes));
  }
  if (!std::ranges::all_of(costs, is_price)) {
    throw InvalidArgument("costs: they are finite numbers of 0 or more");
  }
  if (std::ranges::all_of(costs, [](double cost) { return cost == 0; })) {
    throw InvalidArgument("costs: all of them are 0, so that no decision is better than another");
  }
}

void require_priors(const std::vector<double>& priors, std::size_t classes) {
  if (priors.size() != classes || !std::ranges::all_of(priors, is_price)) {
    throw InvalidArgument("priors: " + std::to_string(priors.size()) + " numbers for " + std::to_string(classes) +
                          " classes; there is one per class, of 0 or more");
  }
  const double sum = std::accumulate(priors.begin(), priors.end(), 0.0);
  if (std::abs(sum - 1) > 1e-6) {
    throw InvalidArgument("priors: they are probabilities of the classes and sum to 1, these to " + shortest(sum));
  }
}

// π/s where there are priors.
std::vector<double> prior_factors(const DecisionRule& rule, std::span<const double> shares, Index classes) {
  std::vector<double> factors(classes, 1.0);
  if (rule.priors.empty()) {
    return factors;
  }
  if (shares.size() != rule.priors.size()) {
    throw InvalidArgument("priors: the model does not say which shares of the classes its probabilities are of");
  }
  std::ranges::transform(rule.priors, shares, factors.begin(), std::divides<>());
  return factors;
}

// p π/s with sum 1; π where that is 0 everywhere.
void reweight(std::span<const double> p, std::span<const double> factors, std::span<const double> priors,
              std::span<double> q) {
  std::ranges::transform(p, factors, q.begin(), std::multiplies<>());
  const double sum = std::accumulate(q.begin(), q.end(), 0.0);
  if (sum == 0 && !priors.empty()) {
    std::ranges::copy(priors, q.begin());
    return;
  }
  for (double& value : q) {
    value /= sum;
  }
}

}  // namespace

double DecisionRule::cost(Index truth, Index decision, Index classes) const {
  return costs.empty() ? (truth == decision ? 0.0 : 1.0) : costs[truth * classes + decision];
}

bool DecisionRule::is_plain() const {
  const auto classes = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(costs.size()))));
  for (Index j = 0; j < classes; ++j) {
    for (Index k = 0; k < classes; ++k) {
      if (cost(j, k, classes) != (j == k ? 0 : costs[1])) {
        return false;
      }
    }
  }
  return priors.empty() && !threshold;
}

bool DecisionRule::is_given() const { return !costs.empty() || !priors.empty() || threshold.has_value(); }

void require_rule(const DecisionRule& rule, Index classes) {
  if (!rule.costs.empty()) {
    require_costs(rule.costs, static_cast<std::size_t>(classes));
  }
  if (!rule.priors.empty()) {
    require_priors(rule.priors, static_cast<std::size_t>(classes));
  }
  if (rule.threshold && (classes != 2 || std::isnan(*rule.threshold))) {
    throw InvalidArgument("a threshold is a number and parts two classes; the model has " + std::to_string(classes));
  }
  if (rule.rate && (!rule.threshold || !(rule.rate->rate > 0 && rule.rate->rate < 1) || rule.rate->positive < 0 ||
                    rule.rate->positive > 1)) {
    throw InvalidArgument("a rate of false positives is between 0 and 1, of one of two classes, and has a threshold");
  }
}

Matrix<double> expected_costs(ConstMatrixView<double> probabilities, const DecisionRule& rule,
                              std::span<const double> shares) {
  const Index classes = probabilities.columns();
  const std::vector<double> factors = prior_factors(rule, shares, classes);
  std::vector<double> q(classes);
  Matrix<double> costs = Matrix<double>::filled(probabilities.rows(), classes, 0.0);
  for (Index i = 0; i < costs.rows(); ++i) {
    reweight(probabilities.row(i), factors, rule.priors, q);
    for (Index j = 0; j < classes; ++j) {
      for (Index k = 0; k < classes; ++k) {
        costs(i, k) += rule.cost(j, k, classes) * q[j];
      }
    }
  }
  return costs;
}

void decide_by_costs(ConstMatrixView<double> costs, Matrix<double>& answers, double reject) {
  for (Index i = 0; i < answers.rows(); ++i) {
    const std::span<const double> row = costs.row(i);
    const bool known = std::ranges::none_of(row, [](double cost) { return std::isnan(cost); });
    if (known && (reject > 0 || !(answers(i, 0) < 0))) {
      const auto best = std::ranges::min_element(row);
      // The least itself is near to the least.
      const bool is_sure =
          !(reject > 0) || std::ranges::count_if(row, [&](double cost) { return cost - *best < reject; }) == 1;
      answers(i, 0) = is_sure ? static_cast<double>(best - row.begin()) : undecided;
    }
  }
}

void decide_by_threshold(std::span<const double> values, double threshold, Matrix<double>& answers, double reject) {
  for (Index i = 0; i < answers.rows(); ++i) {
    if (!std::isnan(values[i]) && (reject > 0 || !(answers(i, 0) < 0))) {
      const bool is_sure = !(reject > 0) || !(std::abs(values[i] - threshold) < reject);
      answers(i, 0) = !is_sure ? undecided : values[i] >= threshold ? 1 : 0;
    }
  }
}

std::vector<double> threshold_values(ConstMatrixView<double> decisions, ConstMatrixView<double> probabilities) {
  const bool decides = decisions.columns() == 1;
  const ConstMatrixView<double>& values = decides ? decisions : probabilities;
  std::vector<double> result;
  for (Index i = 0; i < values.rows() && (decides || values.columns() == 2); ++i) {
    result.push_back(values(i, values.columns() - 1));
  }
  return result;
}

std::string describe(const DecisionRule& rule, std::span<const std::string> classes) {
  const auto count = static_cast<Index>(classes.size());
  std::vector<std::string> parts;
  std::vector<std::string> items;
  for (Index j = 0; j < count && !rule.costs.empty(); ++j) {
    for (Index k = 0; k < count; ++k) {
      if (rule.cost(j, k, count) != (j == k ? 0 : 1)) {
        items.push_back(classes[j] + ":" + classes[k] + "=" + shortest(rule.cost(j, k, count)));
      }
    }
  }
  constexpr std::size_t most = 12;
  if (items.size() > most) {
    items = {std::to_string(items.size()) + " of " + std::to_string(count * count) + " other than 0 and 1"};
  }
  if (!rule.costs.empty()) {
    parts.push_back("costs " + (items.empty() ? "0 and 1" : join(items, ", ")));
  }
  items.clear();
  for (std::size_t j = 0; j < rule.priors.size(); ++j) {
    items.push_back(classes[j] + "=" + shortest(rule.priors[j]));
  }
  if (!items.empty()) {
    parts.push_back("priors " +
                    (items.size() > most ? "of " + std::to_string(items.size()) + " classes" : join(items, ", ")));
  }
  if (rule.rate) {
    parts.push_back("at most " + shortest(rule.rate->rate) + " of the others are called " +
                    classes[rule.rate->positive]);
  }
  if (rule.threshold && std::isinf(*rule.threshold)) {
    parts.push_back("never " + (*rule.threshold > 0 ? classes.back() : classes.front()));
  } else if (rule.threshold) {
    parts.push_back(classes.back() + " from " + shortest(static_cast<float>(*rule.threshold)) + " on");
  }
  return join(parts, "; ");
}

}  // namespace mercer
