#include "mercer/models/mapped/map_ridge.h"

#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/models/mapped/normal_sums.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

void require_room(const MapRidgeOptions& options, Index features) {
  const double copies = options.lambda ? 2 : 4;
  const double needed = copies * static_cast<double>(features) * static_cast<double>(features) * sizeof(double);
  if (needed > allowed_memory(options.memory_mb)) {
    throw InvalidArgument("mapridge: normal equations of " + std::to_string(features) + " features take " +
                          std::to_string(static_cast<Index>(needed / bytes_per_megabyte)) +
                          " MB, more than memory_mb allows; try a smaller size, or a larger memory_mb");
  }
}

Matrix<double> solve_mapridge(const NormalSums& sums, const MapRidgeOptions& options, const FeatureMap& map,
                              const CountedRows& rows, const Matrix<double>& targets, FitReport& report,
                              PhaseTimer& timer, const Run& run) {
  timer.start("solve");
  if (options.lambda) {
    report.measure(Fact::lambda, *options.lambda);
    return ridge_weights(sums, *options.lambda, run);
  }
  const RidgeDirections directions = ridge_directions(sums, run);
  timer.start("penalty");
  const bool by_gcv = options.select == PenaltyChoice::generalized_cross_validation;
  const ChosenPenalty chosen =
      by_gcv ? choose_by_gcv(sums, directions) : choose_by_leave_one_out(sums, directions, map, rows, targets, run);
  report.measure(Fact::lambda, chosen.lambda);
  report.measures.push_back({by_gcv ? "generalised cross-validation RMSE" : "leave-one-out RMSE", chosen.score});
  return ridge_weights(directions, chosen.lambda, run);
}

}  // namespace

void MapRidgeOptions::validate() const { check_options<MapRidgeOptions>("mapridge", mapridge_option_table(), *this); }

std::span<const Option<MapRidgeOptions>> mapridge_option_table() {
  static const std::vector<Option<MapRidgeOptions>> table = mapped_option_table<MapRidgeOptions>({
      {"lambda", &MapRidgeOptions::lambda, "the penalty, of K + lambda 1; not given: chosen from the data",
       Constraint::positive},
      {"select",
       &MapRidgeOptions::select,
       "how lambda is chosen: gcv generalised cross-validation, loo the leave-one-out error (a second pass)",
       {PenaltyChoice::generalized_cross_validation, PenaltyChoice::leave_one_out}},
      {"intercept", &MapRidgeOptions::intercept, "whether there is a constant beside the features, not penalised"},
  });
  return table;
}

std::unique_ptr<MappedModel> fit_mapridge(const Kernel& kernel, const MapRidgeOptions& options,
                                          const TrainingData& data, const Run& run) {
  options.validate();
  require_target_numbers(data, "mapridge");
  FitReport report;
  PhaseTimer timer(report);
  timer.start("map");
  const CountedRows rows = counted_rows("mapridge", data);
  const Matrix<double> targets = data.targets.finite_values(rows.rows);
  const MadeMap made = make_map(options.map, kernel, options, rows.weighted(), run);
  report_map(made, rows.samples, report, run);
  require_room(options, made.map->columns());
  timer.start("normal equations");
  const NormalSums sums =
      normal_sums(*made.map, rows, targets, options.intercept ? SumsAbout::means : SumsAbout::origin, run);
  Matrix<double> weights = solve_mapridge(sums, options, *made.map, rows, targets, report, timer, run);
  Matrix<double> offsets = Matrix<double>::filled(1, targets.columns(), 0.0);
  for (Index o = 0; o < targets.columns() && options.intercept; ++o) {
    offsets(0, o) = sums.target_means[o];
    for (Index c = 0; c < weights.rows(); ++c) {
      offsets(0, o) -= weights(c, o) * sums.feature_means[c];
    }
  }
  timer.stop();
  MapRidgeOptions used = options;
  used.map = made.kind;
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  return std::make_unique<MappedModel>(ModelHead{.name = "mapridge",
                                                 .requested_kernel = kernel.spec(),
                                                 .settings = settings_of(mapridge_option_table(), used),
                                                 .output_names = std::move(names),
                                                 .report = std::move(report)},
                                       MappedModel::Parts{.output = MappedOutput::values,
                                                          .kernel = made.kernel,
                                                          .map = made.map,
                                                          .weights = std::move(weights),
                                                          .offsets = std::move(offsets)});
}

const ModelEntry& mapridge_entry() {
  static const ModelEntry entry = make_entry<MappedModel>(
      {.name = "mapridge",
       .aliases = {"map-ridge"},
       .summary = "ridge regression on random or Nyström features of a kernel, in one pass over any number of rows",
       .task = Task::regression,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "maplogit",
       .takes_prior = true},
      mapridge_option_table(), fit_mapridge, EmptyMapped<MappedOutput::values>());
  return entry;
}

}  // namespace mercer
