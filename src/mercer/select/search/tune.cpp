#include "mercer/select/search/tune.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/version.h"
#include "mercer/models/prior.h"
#include "mercer/models/stored_model.h"
#include "mercer/models/svm/quantile_levels.h"
#include "mercer/select/search/data_fingerprint.h"
#include "mercer/select/search/tune_choices.h"
#include "mercer/select/search/tune_search.h"

namespace mercer {

namespace {

double target_deviation(const ModelEntry& model, const Targets& targets) {
  if (model.task != Task::regression || targets.size() == 0) {
    return 1;
  }
  const Matrix<double> values = targets.values();
  double total = 0;
  for (Index o = 0; o < values.columns(); ++o) {
    double mean = 0;
    for (Index i = 0; i < values.rows(); ++i) {
      mean += values(i, o) / static_cast<double>(values.rows());
    }
    double squares = 0;
    for (Index i = 0; i < values.rows(); ++i) {
      squares += (values(i, o) - mean) * (values(i, o) - mean);
    }
    total += std::sqrt(squares / static_cast<double>(values.rows()));
  }
  return total / static_cast<double>(values.columns());
}

FoldPlan default_folds(const ModelEntry& model, const TuneData& data) {
  FoldPlan plan;
  plan.kind = !data.groups.empty()             ? FoldKind::grouped
              : model.task == Task::regression ? FoldKind::shuffled
                                               : FoldKind::stratified;
  return plan;
}

bool names_option(const ModelEntry& model, std::string_view name) {
  return std::any_of(model.options.begin(), model.options.end(),
                     [&](const OptionDescription& option) { return option.name == name; });
}

// Models that have probabilities only on request are asked for them where the metric needs them.
std::vector<OptionSetting> with_needs(const ModelEntry& model, std::span<const OptionSetting> settings,
                                      const FoldNeeds& needs) {
  std::vector<OptionSetting> result(settings.begin(), settings.end());
  const auto named = [](const char* name) { return [name](const OptionSetting& s) { return s.name == name; }; };
  if (needs.probabilities && names_option(model, "probability") &&
      std::none_of(result.begin(), result.end(), named("probability"))) {
    result.push_back({"probability", "yes"});
  }
  const auto uncertain = std::find_if(result.begin(), result.end(), named("uncertain"));
  if (uncertain != result.end() && uncertain->value != "no") {
    throw InvalidArgument("targets that say how sure a label is (uncertain=" + uncertain->value +
                          ") cannot be tuned: there are no true classes to compare with");
  }
  return result;
}

TunePlan make_plan(const ModelEntry& model, const std::optional<Kernel>& kernel,
                   std::span<const OptionSetting> settings, const TuneData& data, const TuneOptions& options) {
  const FoldPlan folds = options.folds.value_or(default_folds(model, data));
  const std::string name = options.metric.empty() ? default_fold_metric(model, data.data.targets) : options.metric;
  const FoldMetric metric(name, model, data.data.targets, folds);
  SearchSpace space = make_search_space(model, kernel, with_needs(model, settings, metric.needs()),
                                        {.target_deviation = target_deviation(model, beyond_offsets(data.data).targets),
                                         .per_row = !data.data.noise.empty()});
  TunePlan plan{model,  std::move(space), {},
                folds,  metric.name(),    options.scaling.value_or(usual_scaling(model, kernel, data.data.samples)),
                options};
  if (options.choices == TuneChoices::usual) {
    add_usual_choices(plan, data);
  }
  plan.search = options.search.resolved(plan.space);
  return plan;
}

TuneHeader header_of(const TunePlan& plan, const TuneData& data, Better better, const Run& run) {
  TuneHeader header;
  header.version = library_version;
  header.model = plan.model.name;
  header.kernel = plan.space.kernel ? plan.space.kernel->spec() : std::string();
  header.settings = plan.space.settings;
  header.axes = plan.space.axes;
  header.search = plan.search;
  header.folds = plan.folds;
  header.metric = plan.metric;
  header.better = better;
  const bool is_searched =
      std::ranges::any_of(plan.space.axes, [](const SearchAxis& axis) { return axis.place == AxisPlace::scaling; });
  header.scaling = is_searched ? "searched" : to_string(plan.scaling);
  header.scaled = plan.options.scale_fit == ScaleFit::once ? "once" : "within folds";
  header.seed = run.seed();
  header.rows = data.data.samples.size();
  header.columns = data.data.samples.columns();
  header.data = data_fingerprint(data.data, data.groups);
  return header;
}

TuneTable search_table(const TunePlan& plan, const TuneData& data, const TuneHeader& header, OuterFold outer,
                       TuneLog& log, TuneProgress& progress, const Run& run) {
  TuneTable table{header, search_points(plan, data, outer, log, progress, run), -1, -1};
  choose_point(table, plan.options.choice);
  if (table.chosen < 0) {
    throw NumericalError("no point of the search could be fitted on every fold");
  }
  return table;
}

// ---- Nested estimate ----------------------------------------------------------------------------------------------

// The outer folds keep what the inner ones keep apart: groups, the order of time, classes in proportion.
FoldPlan outer_plan(const TunePlan& plan, const FoldMetric& metric) {
  FoldPlan outer = plan.folds;
  outer.folds = plan.options.nested;
  outer.repeats = 1;
  if (outer.kind == FoldKind::leave_one_out) {
    outer.kind = metric.classes().empty() ? FoldKind::shuffled : FoldKind::stratified;
  }
  return outer;
}

double score_on_unseen(const TunePlan& plan, const TuneData& data, const Split& fold, const SearchPoint& point,
                       const FoldMetric& metric, const Run& run) {
  TrainingData scaled = data.data;
  const std::vector<double> weights = select_weights(data.data.weights, fold.train);
  scaled.samples = fit_scaling(plan.scaling_at(point), {data.data.samples.select(fold.train), weights})
                       .apply(data.data.samples, run);
  const auto evaluator = model_fold_evaluator(plan.model, std::move(scaled), metric.needs());
  const PointPath path{.kernel = plan.space.kernel_at(point), .settings = plan.space.settings_at(point)};
  double score = unknown_value;
  const std::vector<FoldUnit> units = {{0, 0}};
  evaluator->evaluate(
      {&path, 1}, {&fold, 1}, units,
      [&](FoldUnit /*unit*/, const std::vector<FoldPrediction>& predictions) {
        score = predictions.empty() ? unknown_value : metric.value(predictions.front(), fold);
      },
      run.quiet());
  return score;
}

NestedEstimate nested_estimate(const TunePlan& plan, const TuneData& data, const TuneHeader& header, TuneLog& log,
                               TuneProgress& progress, const Run& run) {
  // Folds of many rows: the metric is that of plain folds, whatever the inner ones are.
  FoldMetric inner(plan.metric, plan.model, data.data.targets, plan.folds);
  const FoldPlan outer = outer_plan(plan, inner);
  const FoldMetric metric(plan.metric, plan.model, data.data.targets, outer);
  const std::vector<Split> folds =
      make_folds(outer, data.data.samples.size(), metric.classes(), data.groups, run.seed());
  NestedEstimate nested;
  std::vector<Split> searched;
  std::vector<double> scores;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const OuterFold number{static_cast<Index>(f), static_cast<Index>(folds.size())};
    OuterScore outer_score{.outer = number, .score = unknown_value, .chosen = {}};
    const TuneData training = select_rows(data, folds[f].train);
    // A fold without a score (one class to train on, say) is left out, as it is inside a search.
    if (!metric.is_defined(folds[f]) || !has_scored_fold(plan, training, run)) {
      nested.folds.push_back(std::move(outer_score));
      continue;
    }
    searched.push_back(folds[f]);
    const TuneTable table = search_table(plan, training, header, number, log, progress, run);
    outer_score.chosen = table.points[table.chosen].values;
    const OuterScore* known = log.find_outer(number);
    if (known != nullptr && known->chosen == outer_score.chosen) {
      outer_score.score = known->score;
    } else {
      outer_score.score = score_on_unseen(plan, data, folds[f], outer_score.chosen, metric, run);
      log.add(outer_score);
    }
    scores.push_back(outer_score.score);
    nested.folds.push_back(std::move(outer_score));
  }
  const Mean mean = metric.combine(scores, searched);
  nested.mean = mean.value;
  nested.error = mean.standard_error;
  return nested;
}

// At which quantiles of every point are scored (models/fitted_quantiles.h); none where they are searched.
std::vector<double> levels_of(const TunePlan& plan) {
  constexpr const char* option = "quantiles";
  if (!plan.model.fits_quantiles) {
    return QuantileLevels().values();
  }
  if (std::ranges::find(plan.space.axes, option, &SearchAxis::name) != plan.space.axes.end()) {
    return {};
  }
  const auto given = std::ranges::find(plan.space.settings, option, &OptionSetting::name);
  return (given == plan.space.settings.end() ? QuantileLevels()
                                             : QuantileLevels::parse({plan.model.name, option}, given->value))
      .values();
}

double baseline_of(const FoldMetric& metric, const TunePlan& plan, const TuneData& data, const Run& run) {
  if (plan.folds.kind == FoldKind::leave_one_out) {
    return unknown_value;
  }
  const std::vector<Split> folds =
      make_folds(plan.folds, data.data.samples.size(), metric.classes(), data.groups, run.seed());
  const std::vector<double> levels = levels_of(plan);
  std::vector<double> values;
  for (const Split& fold : folds) {
    values.push_back(metric.baseline(fold, levels));
  }
  return metric.combine(values, folds).value;
}

double expected_work(const TunePlan& plan, const TuneData& data) {
  const auto rows = data.data.samples.size();
  const auto points = static_cast<double>(make_strategy(plan.space, plan.search, rows, 0)->expected_points());
  const double folds = plan.folds.kind == FoldKind::leave_one_out
                           ? static_cast<double>(rows)
                           : static_cast<double>(plan.folds.folds * plan.folds.repeats);
  return points * folds * static_cast<double>(1 + plan.options.nested);
}

void require_usable(const TuneData& data, const TuneOptions& options) {
  const Index rows = data.data.samples.size();
  if (rows < 2) {
    throw DataError("a search needs rows to train on and rows to validate on: there " +
                    std::string(rows == 1 ? "is one row" : "are no rows"));
  }
  if (options.nested < 0 || options.nested == 1 || options.nested > rows) {
    reject_argument("nested", std::to_string(options.nested),
                    "0 (none) or a number of folds from 2 to the number of rows");
  }
}

// A weight of 0 is a row deleted: it has no place in the folds either.
TuneData counted_rows_of(const TuneData& all) {
  const std::vector<Index> rows = counted_row_numbers({all.data.samples, all.data.weights}, "tune");
  return static_cast<Index>(rows.size()) == all.data.samples.size() ? all : select_rows(all, rows);
}

}  // namespace

TuneResult tune(const ModelEntry& model, const std::optional<Kernel>& kernel, std::span<const OptionSetting> settings,
                const TuneData& given, const TuneOptions& options, const Run& run) {
  require_usable(given, options);
  const TuneData data = counted_rows_of(given);
  require_usable(data, options);
  const TunePlan plan = make_plan(model, kernel, settings, data, options);
  const FoldMetric metric(plan.metric, model, data.data.targets, plan.folds);
  const TuneHeader header = header_of(plan, data, metric.better(), run);
  // Splits that cannot be made are found before a log is begun.
  make_folds(plan.folds, data.data.samples.size(), metric.classes(), data.groups, run.seed());
  const auto log = options.log.empty() ? std::make_unique<TuneLog>()
                                       : std::make_unique<TuneLog>(options.log, header, options.log_start);
  if (options.started) {
    options.started(*log);
  }
  TuneProgress progress(expected_work(plan, data), run);
  TuneResult result{.table = search_table(plan, data, header, {}, *log, progress, run)};
  if (options.nested > 0) {
    result.nested = nested_estimate(plan, data, header, *log, progress, run);
  }
  progress.finish();
  log->add_result(result.table, options.choice, result.nested);
  const SearchPoint& point = result.table.points[result.table.chosen].values;
  result.kernel = plan.space.kernel_at(point);
  result.settings = plan.space.settings_at(point);
  result.scaling = fit_scaling(plan.scaling_at(point), {data.data.samples, data.data.weights});
  result.baseline = baseline_of(metric, plan, data, run);
  result.notes = plan.notes;
  add_findings(plan, data, result, run);
  return result;
}

}  // namespace mercer
