#include "fit_decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "mercer/base/error.h"
#include "mercer/data/split.h"
#include "mercer/report/sections/fold_scores.h"
#include "mercer/select/decision_threshold.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct HeldOut {
  std::vector<double> values;
  std::vector<std::int32_t> classes;
  std::vector<double> weights;
};

// Where a fold would have to be predicted by a model that saw one class alone.
void require_classes_in_folds(const std::vector<Split>& folds, const std::vector<std::int32_t>& codes,
                              const FittedModel& model, const std::string& otherwise) {
  const std::vector<std::string>& classes = model.classes();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto is_one = [&](Index row) { return codes[row] == static_cast<std::int32_t>(c); };
    const bool always =
        std::ranges::all_of(folds, [&](const Split& fold) { return std::ranges::any_of(fold.train, is_one); });
    if (!always) {
      const auto count = std::ranges::count(codes, static_cast<std::int32_t>(c));
      throw DataError(fmt::format(
          "the class '{}' has too few rows for folds, {}: a threshold is chosen on rows that models were not fitted "
          "to, "
          "and a model of some fold would see none of that class. Fewer folds do not help: give more rows of it{}",
          classes[c], count, otherwise));
    }
  }
}

// Values of rows by models that were not fitted to them, the larger the more of the second class.
HeldOut held_out_values(const FitDecisionFlags& flags, const TrainingPlan& plan, const DecisionRows& rows,
                        const StoredModel& stored, Session& session) {
  const FoldRecipe recipe{.entry = *plan.entry,
                          .kernel = plan.kernel,
                          .settings = plan.settings,
                          .schema = rows.schema,
                          .coding = rows.coding,
                          .scaling = stored.preparation.scaling.rule,
                          .prior = plan.prior,
                          .decisions = DecisionValues::all};
  const FoldPlan folds = fold_plan(flags.folds, *plan.entry, plan.delays ? SampleOrder::kept : SampleOrder::shuffled);
  const std::vector<Split> splits = folds_of(folds, rows.rows, session.run().seed());
  const std::string setting(stored.model->setting_for_probabilities());
  require_classes_in_folds(splits, rows.rows.data.targets.labels(0, stored.model->classes()).codes, *stored.model,
                           flags.false_positive_rate ? ""
                           : setting.empty()         ? ", or take a model with probabilities (klr, gpc, ...)"
                                                     : ", or fit with --set " + setting);
  FoldPredictions predicted = predict_by_folds(recipe, rows.rows.data, splits, session.run());
  const Predictions all = joined(std::move(predicted.by_fold));
  const bool by_value = stored.model->decision_names().size() == 1;
  HeldOut held{
      .values = threshold_values(by_value ? all.decisions.view() : ConstMatrixView<double>(), all.probabilities.view()),
      .classes = all.classes,
      .weights = {}};
  if (by_value && decision_direction(*stored.model) < 0) {
    std::ranges::transform(held.values, held.values.begin(), std::negate<>());
  }
  for (const Index row : predicted.rows) {
    held.weights.push_back(rows.rows.data.weights.empty() ? 1.0 : rows.rows.data.weights[row]);
  }
  return held;
}

void require_value(const FittedModel& model, const char* flag) {
  if (model.decision_names().size() != 1 && !model.has_probabilities()) {
    throw UsageError(fmt::format("{}: {} has neither a decision value nor probabilities that a threshold could part",
                                 flag, model.name()));
  }
}

}  // namespace

void add_fit_decision_flags(CLI::App& command, FitDecisionFlags& flags) {
  add_cost_flags(command, flags);
  add_rate_flags(command, flags);
  add_fold_flags(command, flags.folds);
}

void check(const FitDecisionFlags& flags, const ModelEntry& entry) {
  require_classes(flags, {}, entry.task, entry.name);
  const FoldFlags plain;
  const bool folds = flags.folds.folds != plain.folds || flags.folds.time_order || flags.folds.no_stratify;
  if (folds && !flags.any()) {
    throw UsageError(
        "--folds, --time-order and --no-stratify are for a threshold, which --costs, --priors or "
        "--false-positive-rate ask for; to score a model by folds there is 'mercer score NAME DATA'");
  }
}

void decide_by_folds(const FitDecisionFlags& flags, const TrainingPlan& plan, const DecisionRows& rows,
                     StoredModel& stored, Session& session) {
  FittedModel& model = *stored.model;
  DecisionRule rule = cost_rule(flags, model.classes());
  session.timed("decision", [&] {
    if (flags.false_positive_rate) {
      rule.rate = wanted_rate(flags, model.classes());
      require_value(model, "--false-positive-rate");
      const HeldOut held = held_out_values(flags, plan, rows, stored, session);
      rule.threshold = reading("--false-positive-rate", [&] {
        return threshold_at_rate({held.values, held.classes, held.weights}, *rule.rate, model.classes());
      });
    } else if (needs_threshold(model, rule)) {
      const HeldOut held = held_out_values(flags, plan, rows, stored, session);
      rule.threshold = threshold_of_least_cost({held.values, held.classes, held.weights}, rule, model.own_threshold());
    }
  });
  reading("--costs, --priors", [&] { decide_by(model, rule); });
}

}  // namespace mercer::program
