#include "mercer/models/mapped/map_logistic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/machine_memory.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/mapped/block_descent.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/expansion_classifier.h"

namespace mercer {

namespace {

// ln(1 + e^{−tf}), t = ±1.
RowLoss logistic_loss(const std::vector<std::int32_t>& classes) {
  return {.functions = 1,
          .curvature = 0.25,
          .evaluate = [&classes](Index row, std::span<const double> values, std::span<double> derivative) {
            const double sign = classes[row] == 1 ? 1.0 : -1.0;
            const double margin = sign * values[0];
            const double small = std::exp(-std::abs(margin));
            derivative[0] = -sign * (margin > 0 ? small : 1.0) / (1 + small);
            return std::max(0.0, -margin) + std::log1p(small);
          }};
}

RowLoss softmax_loss(const std::vector<std::int32_t>& classes, Index count) {
  return {.functions = count,
          .curvature = 0.5,
          .evaluate = [&classes](Index row, std::span<const double> values, std::span<double> derivative) {
            const auto truth = static_cast<std::size_t>(classes[row]);
            const double largest = *std::max_element(values.begin(), values.end());
            double sum = 0;
            for (std::size_t c = 0; c < values.size(); ++c) {
              derivative[c] = std::exp(values[c] - largest);
              sum += derivative[c];
            }
            for (double& slope : derivative) {
              slope /= sum;
            }
            derivative[truth] -= 1;
            return std::log(sum) + largest - values[truth];
          }};
}

}  // namespace

void MapLogisticOptions::validate() const {
  check_options<MapLogisticOptions>("maplogit", maplogit_option_table(), *this);
}

std::span<const Option<MapLogisticOptions>> maplogit_option_table() {
  static const std::vector<Option<MapLogisticOptions>> table = mapped_option_table<MapLogisticOptions>({
      {"lambda", &MapLogisticOptions::lambda,
       "the penalty, lambda/2 |W|^2 beside the sum of log-losses (1/C elsewhere)", Constraint::positive,
       SearchRange{"2^-20..2^10"}},
      {"class_weight", &MapLogisticOptions::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight"},
      {"accuracy", &MapLogisticOptions::accuracy,
       "ends where a step lowers the objective by less than this share of it", Limits::between(0, 1)},
      {"max_passes", &MapLogisticOptions::max_passes, "limit on passes over the rows", Constraint::positive},
  });
  return table;
}

std::unique_ptr<MappedModel> fit_maplogit(const Kernel& kernel, const MapLogisticOptions& options,
                                          const TrainingData& given, const Run& run) {
  options.validate();
  const TrainingData data = merged_rows("maplogit", &kernel, given).data;
  FitReport report;
  PhaseTimer timer(report);
  timer.start("map");
  const LabeledRows labeled = read_labels("maplogit", data, LabelReading::classes, options.class_weight);
  const CountedRows rows = counted_rows("maplogit", data);
  const MadeMap made = make_map(options.map, kernel, options, rows.weighted(), run);
  report_map(made, rows.samples, report, run);
  timer.start("features");
  MappedBlocks blocks(made.map, rows.samples, 0.5 * allowed_memory(options.memory_mb), run);
  if (!blocks.is_kept()) {
    report.notes.emplace_back("features are computed anew in every pass: they do not fit into memory_mb");
  }
  timer.start("solve");
  const auto classes = static_cast<Index>(labeled.levels.size());
  const RowLoss loss =
      classes == 2 ? logistic_loss(labeled.classes) : softmax_loss(labeled.classes, functions_for_classes(classes));
  DescentResult solved = minimize_over_blocks(
      blocks, labeled.weights, loss,
      {.lambda = options.lambda, .tolerance = options.accuracy, .max_passes = options.max_passes}, run);
  timer.stop();
  report.status = solved.status;
  report.iterations = solved.passes;
  report.objective_name = "penalised log-loss";
  report.objective = solved.objective;
  report.measures.push_back({"expected decrease", solved.decrease});
  MapLogisticOptions used = options;
  used.map = made.kind;
  return std::make_unique<MappedModel>(ModelHead{.name = "maplogit",
                                                 .requested_kernel = kernel.spec(),
                                                 .settings = settings_of(maplogit_option_table(), used),
                                                 .output_names = {data.targets.columns().front().name},
                                                 .classes = labeled.levels,
                                                 .report = std::move(report)},
                                       MappedModel::Parts{.output = MappedOutput::logits,
                                                          .kernel = made.kernel,
                                                          .map = made.map,
                                                          .weights = std::move(solved.weights),
                                                          .offsets = std::move(solved.offsets)});
}

const ModelEntry& maplogit_entry() {
  static const ModelEntry entry = make_entry<MappedModel>(
      {.name = "maplogit",
       .aliases = {"map-logit"},
       .summary = "logistic regression on random or Nyström features of a kernel, for any number of rows",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "mapridge"},
      maplogit_option_table(), fit_maplogit, EmptyMapped<MappedOutput::logits>());
  return entry;
}

}  // namespace mercer
