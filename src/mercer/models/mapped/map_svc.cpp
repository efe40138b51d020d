#include "mercer/models/mapped/map_svc.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "mercer/models/mapped/block_descent.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/expansion_classifier.h"

namespace mercer {

namespace {

struct SolvedMapSvc {
  Matrix<double> weights;
  Matrix<double> offsets;
};

// C max(0, 1 − tf)² against the class `positive`.
RowLoss squared_hinge_loss(const std::vector<std::int32_t>& classes, std::int32_t positive, double cost) {
  return {
      .functions = 1,
      .curvature = 2 * cost,
      .evaluate = [&classes, positive, cost](Index row, std::span<const double> values, std::span<double> derivative) {
        const double sign = classes[row] == positive ? 1.0 : -1.0;
        const double rest = std::max(0.0, 1 - sign * values[0]);
        derivative[0] = -2 * cost * sign * rest;
        return cost * rest * rest;
      }};
}

// All features stand in memory.
SolvedMapSvc solve_stored(const FeatureMap& map, const CountedRows& rows, const TrainingData& data,
                          const MapSvcOptions& options, FitReport& report, const Run& run) {
  Matrix<float> features(rows.samples.size(), map.columns());
  map.transform(rows.samples, features.view(), run);
  const TrainingData mapped{make_dense(std::move(features)), data.targets.select(rows.rows), rows.weights};
  LinearSvcOptions linear;
  linear.C = options.C;
  linear.loss = options.loss;
  linear.class_weight = options.class_weight;
  linear.tolerance = options.gap;
  linear.max_passes = options.max_passes;
  const auto model = fit_linearsvc(parse_kernel("linear()"), linear, mapped, run);
  const FitReport& inner = model->report();
  report.status = inner.status;
  report.iterations = inner.iterations;
  report.objective_name = inner.objective_name;
  report.objective = inner.objective;
  if (const auto gap = inner.measured(Fact::relative_gap)) {
    report.measure(Fact::relative_gap, *gap);
  }
  report.notes.insert(report.notes.end(), inner.notes.begin(), inner.notes.end());
  return {Matrix<double>::copy_of(model->machines().weights.view()),
          Matrix<double>::copy_of(model->machines().intercepts.view())};
}

// One machine after the other, by passes over the rows.
SolvedMapSvc solve_streaming(const MadeMap& made, const CountedRows& rows, const LabeledRows& labeled,
                             const MapSvcOptions& options, FitReport& report, const Run& run) {
  if (options.loss == LinearLoss::hinge) {
    throw InvalidArgument("mapsvc: " + std::to_string(rows.samples.size()) + " x " +
                          std::to_string(made.map->columns()) +
                          " features do not fit into memory_mb, and the hinge loss needs all of them at once; try "
                          "loss=squared_hinge, a smaller size, or a larger memory_mb");
  }
  report.notes.emplace_back("features are computed anew in every pass: they do not fit into memory_mb");
  MappedBlocks blocks(made.map, rows.samples, 0, run);
  const Index machines = functions_for_classes(static_cast<Index>(labeled.levels.size()));
  SolvedMapSvc solved{Matrix<double>(blocks.features(), machines), Matrix<double>(1, machines)};
  report.objective_name = "primal objective";
  for (Index m = 0; m < machines; ++m) {
    const auto positive = static_cast<std::int32_t>(machines == 1 ? 1 : m);
    const DescentResult machine =
        minimize_over_blocks(blocks, labeled.weights, squared_hinge_loss(labeled.classes, positive, options.C),
                             {.lambda = 1, .tolerance = 1e-4 * options.gap, .max_passes = options.max_passes}, run);
    report.iterations += machine.passes;
    report.objective += machine.objective;
    if (machine.status != SolveStatus::converged) {
      report.status = machine.status;
    }
    for (Index c = 0; c < blocks.features(); ++c) {
      solved.weights(c, m) = machine.weights(c, 0);
    }
    solved.offsets(0, m) = machine.offsets(0, 0);
  }
  return solved;
}

}  // namespace

void MapSvcOptions::validate() const { check_options<MapSvcOptions>("mapsvc", mapsvc_option_table(), *this); }

std::span<const Option<MapSvcOptions>> mapsvc_option_table() {
  static const std::vector<Option<MapSvcOptions>> table = mapped_option_table<MapSvcOptions>({
      {"C", &MapSvcOptions::C, "the price of a margin error (LIBLINEAR's -c)", Constraint::positive,
       SearchRange{"2^-5..2^15"}},
      {"loss",
       &MapSvcOptions::loss,
       "squared_hinge: max(0, 1 - t f)^2, any number of rows; hinge: max(0, 1 - t f), features must fit into memory",
       {LinearLoss::squared_hinge, LinearLoss::hinge}},
      {"class_weight", &MapSvcOptions::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies C"},
      {"gap", &MapSvcOptions::gap, "of the duality gap, as a part of the primal value", Limits::between(0, 1)},
      {"max_passes", &MapSvcOptions::max_passes, "limit on passes over the rows", Constraint::positive},
  });
  return table;
}

std::unique_ptr<MappedModel> fit_mapsvc(const Kernel& kernel, const MapSvcOptions& options, const TrainingData& given,
                                        const Run& run) {
  options.validate();
  const TrainingData data = merged_rows("mapsvc", &kernel, given).data;
  FitReport report;
  PhaseTimer timer(report);
  timer.start("map");
  const LabeledRows labeled = read_labels("mapsvc", data, LabelReading::classes, options.class_weight);
  const CountedRows rows = counted_rows("mapsvc", data);
  const MadeMap made = make_map(options.map, kernel, options, rows.weighted(), run);
  report_map(made, rows.samples, report, run);
  timer.start("solve");
  const double needed =
      static_cast<double>(rows.samples.size()) * static_cast<double>(made.map->columns()) * sizeof(float);
  SolvedMapSvc solved = needed <= 0.75 * allowed_memory(options.memory_mb)
                            ? solve_stored(*made.map, rows, data, options, report, run)
                            : solve_streaming(made, rows, labeled, options, report, run);
  timer.stop();
  MapSvcOptions used = options;
  used.map = made.kind;
  return std::make_unique<MappedModel>(ModelHead{.name = "mapsvc",
                                                 .requested_kernel = kernel.spec(),
                                                 .settings = settings_of(mapsvc_option_table(), used),
                                                 .output_names = {data.targets.columns().front().name},
                                                 .classes = labeled.levels,
                                                 .report = std::move(report)},
                                       MappedModel::Parts{.output = MappedOutput::decisions,
                                                          .kernel = made.kernel,
                                                          .map = made.map,
                                                          .weights = std::move(solved.weights),
                                                          .offsets = std::move(solved.offsets)});
}

const ModelEntry& mapsvc_entry() {
  static const ModelEntry entry = make_entry<MappedModel>(
      {.name = "mapsvc",
       .aliases = {"map-svc"},
       .summary = "support vector classification on random or Nyström features of a kernel, for any number of rows",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "mapridge"},
      mapsvc_option_table(), fit_mapsvc, EmptyMapped<MappedOutput::decisions>());
  return entry;
}

}  // namespace mercer
