#include "mercer/select/search/tune_choices.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/text.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/stored_model.h"
#include "mercer/select/search/linear_limit.h"

namespace mercer {

namespace {

// The usual rule first; nothing where a scaling would change what columns mean, or there are none.
std::vector<ScalingRule> scalings_for(const ScalingRule& usual) {
  switch (usual.kind) {
    case ScalingKind::standard:
      return {usual, {ScalingKind::none}, {ScalingKind::minmax}, {ScalingKind::robust}};
    case ScalingKind::maxabs:
      return {usual, {ScalingKind::none}};
    case ScalingKind::none:
    case ScalingKind::deviation:
    case ScalingKind::minmax:
    case ScalingKind::robust:
      break;
  }
  return {};
}

// Whether the kernel looks at numbers that are scaled: not at texts alone, nor at indicators of categories alone.
bool sees_scaled_numbers(const std::optional<Kernel>& kernel, const Samples& samples) {
  if (samples.kind() != SampleKind::table) {
    return samples.is_numeric();
  }
  const Table& table = samples.table();
  if (table.numeric().columns() <= table.indicators()) {
    return false;
  }
  if (!kernel) {
    return true;
  }
  const ColumnUses uses = column_uses(*kernel);
  return uses.vectors_by_default || uses.by_number ||
         std::ranges::any_of(table.numeric_names(), [&](const std::string& name) {
           return std::ranges::find(uses.subscripted, name) != uses.subscripted.end();
         });
}

bool counts_classes_alike(FoldMetricKind kind) {
  return kind == FoldMetricKind::balanced_accuracy || kind == FoldMetricKind::f1;
}

Index rows_of_rarest_class(const Targets& targets) {
  const ClassLabels labels = targets.labels(0);
  std::vector<Index> sizes(labels.levels.size(), 0);
  for (const std::int32_t code : labels.codes) {
    ++sizes[code];
  }
  return *std::ranges::min_element(sizes);
}

bool can_weigh_classes(const ModelEntry& model) {
  return std::ranges::any_of(model.options, [](const auto& option) { return !option.when_unbalanced.empty(); });
}

void add_weights_of_classes(TunePlan& plan, const TuneData& data) {
  if (plan.model.task != Task::classification) {
    return;
  }
  const Index fewest = rows_of_rarest_class(data.data.targets);
  const Index rows = data.data.targets.size();
  if (static_cast<double>(fewest) >= rare_class * static_cast<double>(rows)) {
    return;
  }
  const std::string rare = "the rarest class has " + std::to_string(fewest) + " of " + std::to_string(rows) + " rows";
  if (!can_weigh_classes(plan.model)) {
    plan.notes.push_back(rare + ", and " + plan.model.name + " has no weights of classes to search");
  } else if (!counts_classes_alike(find_fold_metric(plan.metric, plan.model))) {
    plan.notes.push_back("weights of classes are not searched: " + plan.metric + " counts rows, not classes (" + rare +
                         "); metric balanced-accuracy would");
  } else {
    add_class_weights(plan.space);
  }
}

// slope·linear() with the chosen options, on the same folds; NaN where that takes many steps or fails.
double score_of_linear(double slope, const TunePlan& plan, const TuneData& data, TrainingData scaled,
                       const TuneResult& result, const Run& run) {
  const FoldMetric metric(plan.metric, plan.model, data.data.targets, plan.folds);
  const std::vector<Split> folds =
      make_folds(plan.folds, data.data.samples.size(), metric.classes(), data.groups, run.seed());
  std::vector<FoldUnit> units;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    units.push_back({0, static_cast<Index>(f)});
  }
  const PointPath path{.kernel = parse_kernel(shortest(slope) + "*linear()"), .settings = result.settings};
  const auto evaluator = make_fold_evaluator(plan.model, std::move(scaled), metric.needs());
  evaluator->set_watch({.is_worth_more = [](FoldUnit, const FoldPrediction&) { return false; }});
  std::vector<double> scores(folds.size(), unknown_value);
  evaluator->evaluate(
      {&path, 1}, folds, units,
      [&](FoldUnit unit, const std::vector<FoldPrediction>& predictions) {
        if (!predictions.empty()) {
          scores[unit.fold] = metric.value(predictions.front(), folds[unit.fold]);
        }
      },
      run.quiet());
  return metric.combine(scores, folds).value;
}

}  // namespace

void add_usual_choices(TunePlan& plan, const TuneData& data) {
  const bool has_ranges = !plan.space.axes.empty();
  const std::vector<ScalingRule> rules = scalings_for(plan.scaling);
  if (has_ranges && !plan.options.scaling && !rules.empty() &&
      sees_scaled_numbers(plan.space.usual_kernel, data.data.samples)) {
    add_scalings(plan.space, rules);
  }
  add_weights_of_classes(plan, data);
  if (plan.space.axes.empty()) {
    plan.notes.push_back("nothing was searched: " +
                         (plan.space.settings.empty() ? plan.model.name + " finds what it needs while it is fitted"
                                                      : std::string("everything is set")) +
                         ". This is the score by folds; a range is written as in C=1..100 or \"rbf(gamma=2^-9..2)\"");
  }
}

std::vector<ScalingRule> searched_scalings(const TunePlan& plan) {
  const auto axis = std::ranges::find(plan.space.axes, AxisPlace::scaling, &SearchAxis::place);
  if (axis == plan.space.axes.end()) {
    return {plan.scaling};
  }
  std::vector<ScalingRule> rules;
  for (const std::string& word : axis->words) {
    rules.push_back(parse_scaling(word));
  }
  return rules;
}

void add_findings(const TunePlan& plan, const TuneData& data, TuneResult& result, const Run& run) {
  const FoldMetric metric(plan.metric, plan.model, data.data.targets, plan.folds);
  const TunePoint& best = result.table.points[result.table.best];
  if (!std::isnan(result.baseline) && !(metric.utility(best.mean) > metric.utility(result.baseline))) {
    result.notes.push_back("no point is better than the best constant answer, whose " + plan.metric + " is " +
                           shortest(result.baseline));
  }
  if (!result.kernel || !plan.model.has_offset) {
    return;
  }
  TrainingData scaled = data.data;
  scaled.samples = result.scaling.apply(data.data.samples, run);
  const std::optional<double> slope = linear_slope_on(*result.kernel, scaled.samples, run.quiet());
  if (!slope) {
    return;
  }
  const double score = score_of_linear(*slope, plan, data, std::move(scaled), result, run);
  const TunePoint& chosen = result.table.points[result.table.chosen];
  const double slack = std::isnan(chosen.error) ? 0 : 0.5 * chosen.error;
  if (!std::isnan(score) && metric.utility(score) >= metric.utility(chosen.mean) - slack) {
    result.notes.push_back("on these rows " + result.kernel->spec() +
                           " is a linear kernel but for a constant: linear() would do, and is cheaper (" + plan.metric +
                           " " + shortest(std::round(score * 1e5) / 1e5) + " by the same folds)");
  }
}

}  // namespace mercer
