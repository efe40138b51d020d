#include "mercer/models/decisions.h"

#include <algorithm>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/classes/coded_classes.h"

namespace mercer {

namespace {

// Class weights as the model took them.
ClassWeights class_weights_of(std::span<const OptionSetting> settings) {
  const auto found = std::ranges::find(settings, "class_weight", &OptionSetting::name);
  return found == settings.end() ? ClassWeights() : ClassWeights::parse(found->value);
}

std::vector<double> totals_of(const FittedModel& model, const TrainingData& data, SharesOf shares) {
  std::vector<double> totals(model.classes().size(), 0.0);
  const std::vector<std::int32_t> codes = data.targets.labels(0, model.classes()).codes;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const double weight = data.weights.empty() ? 1.0 : data.weights[i];
    if (codes[i] >= 0 && weight > 0) {
      totals[codes[i]] += shares == SharesOf::rows ? 1.0 : weight;
    }
  }
  return totals;
}

void apply_class_weights(const FittedModel& model, std::vector<double>& totals) {
  const ClassWeights weights = class_weights_of(model.head().settings);
  if (weights.are_balanced()) {
    std::ranges::fill(totals, 1.0);
  } else if (!weights.are_alike()) {
    const std::vector<double> factors = numbers_of_levels("class_weight", weights.given(), model.classes());
    std::ranges::transform(totals, factors, totals.begin(), std::multiplies<>());
  }
}

// Empty where targets are no labels but say how sure these are.
std::vector<double> shares_of_classes(const FittedModel& model, const TrainingData& data, SharesOf shares) {
  if (const auto* const stated = offered<StatedPriors>(model)) {
    return stated->stated_priors();
  }
  std::vector<double> totals = totals_of(model, data, shares);
  if (std::ranges::any_of(totals, [](double total) { return !(total > 0); })) {
    return {};
  }
  if (shares == SharesOf::weights) {
    apply_class_weights(model, totals);
  }
  double sum = 0;
  for (const double total : totals) {
    sum += total;
  }
  for (double& total : totals) {
    total /= sum;
  }
  return totals;
}

std::string how_to_have_probabilities(const FittedModel& model) {
  const std::string setting(model.setting_for_probabilities());
  return setting.empty() ? "take a model that has them (klr, gpc, kfd, rvc, ...)"
                         : "fit it with " + setting + " (--set " + setting + ")";
}

}  // namespace

double decision_direction(const FittedModel& model) {
  const auto* const coded = offered<CodedClasses>(model);
  return coded != nullptr && model.decision_names().size() == 1 ? coded->code()(0, 1) : 1;
}

bool needs_threshold(const FittedModel& model, const DecisionRule& rule) {
  return !rule.is_plain() && !rule.threshold && !model.has_probabilities() && model.decision_names().size() == 1;
}

void decide_by(FittedModel& model, DecisionRule rule) {
  if (model.task() != Task::classification) {
    throw InvalidArgument(model.name() + " is a model of " + std::string(to_string(model.task())) +
                          ": costs, priors and rates of false positives are of classes");
  }
  require_rule(rule, static_cast<Index>(model.classes().size()));
  const bool has_value = model.decision_names().size() == 1 || model.has_probabilities();
  if (rule.threshold && !has_value) {
    throw InvalidArgument(model.name() + " has neither a decision value nor probabilities that a threshold could part");
  }
  if (needs_threshold(model, rule)) {
    throw InvalidArgument(
        model.name() +
        " has no probabilities, and a threshold must be chosen from decision values of rows that it was "
        "not fitted to: give costs and priors when it is fitted, or " +
        how_to_have_probabilities(model));
  }
  if (!rule.is_plain() && !rule.threshold && !model.has_probabilities()) {
    throw InvalidArgument(model.name() + " has no probabilities, which costs and priors are weighed with: " +
                          how_to_have_probabilities(model));
  }
  if (!rule.priors.empty() && !rule.threshold && model.head().class_shares.size() != rule.priors.size()) {
    throw InvalidArgument(
        "priors: this " + model.name() +
        " does not say which shares of the classes its probabilities are of (it comes from an earlier "
        "version, another package, or uncertain labels): fit it again");
  }
  model.head_.decision = std::move(rule);
}

FitFunction fit_with_shares(Task task, SharesOf shares, FitFunction fit) {
  if (task != Task::classification) {
    return fit;
  }
  return [shares, fit = std::move(fit)](const std::optional<Kernel>& kernel, std::span<const OptionSetting> settings,
                                        const TrainingData& data, const Run& run) {
    std::unique_ptr<FittedModel> fitted = fit(kernel, settings, data, run);
    keep_class_shares(*fitted, shares_of_classes(*fitted, data, shares));
    return fitted;
  };
}

void keep_class_shares(FittedModel& model, std::vector<double> shares) { model.head_.class_shares = std::move(shares); }

}  // namespace mercer
