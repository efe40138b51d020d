#include "mercer/models/mapped/map_model.h"

#include <utility>

#include "mercer/base/error.h"
#include "mercer/features/nystroem_map.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

namespace {

constexpr std::string_view fourier_names[] = {"size", "form", "draws"};
constexpr std::string_view sinks_names[] = {"size", "family", "draws", "bias"};
constexpr std::string_view sketch_names[] = {"size"};
constexpr std::string_view chi2map_names[] = {"steps", "interval"};
constexpr std::string_view nystroem_names[] = {"size", "landmarks", "tolerance", "memory_mb"};

std::span<const Option<MapOptions>> nystroem_option_table() {
  static const std::vector<Option<MapOptions>> table = map_option_rows<MapOptions>(nystroem_names);
  return table;
}

std::span<const Option<MapOptions>> map_option_table(MapKind kind) {
  static const std::vector<Option<MapOptions>> fourier = map_option_rows<MapOptions>(fourier_names);
  static const std::vector<Option<MapOptions>> sinks = map_option_rows<MapOptions>(sinks_names);
  static const std::vector<Option<MapOptions>> sketch = map_option_rows<MapOptions>(sketch_names);
  static const std::vector<Option<MapOptions>> chi2 = map_option_rows<MapOptions>(chi2map_names);
  switch (kind) {
    case MapKind::sinks:
      return sinks;
    case MapKind::sketch:
      return sketch;
    case MapKind::chi2:
      return chi2;
    case MapKind::nystroem:
      return nystroem_option_table();
    case MapKind::automatic:
    case MapKind::fourier:
      break;
  }
  return fourier;
}

std::string model_of_kind(MapKind kind) { return kind == MapKind::chi2 ? "chi2map" : std::string(word_of(kind)); }

template <MapKind kind>
ModelEntry map_entry(const std::vector<std::string>& aliases, const std::string& summary, const std::string& kernel) {
  return make_entry<MapModel, MapOptions>(
      {.name = model_of_kind(kind),
       .aliases = aliases,
       .summary = summary,
       .task = Task::features,
       .default_kernel = kernel},
      map_option_table(kind),
      [](const Kernel& given, const MapOptions& options, const TrainingData& data, const Run& run) {
        return fit_map(kind, given, options, data, run);
      },
      [] { return MapModel::Parts{.kind = kind, .kernel = {}, .map = {}}; });
}

// feature1, feature2, …
std::vector<std::string> feature_names(Index features) {
  std::vector<std::string> names;
  for (Index c = 0; c < features; ++c) {
    names.push_back("feature" + std::to_string(c + 1));
  }
  return names;
}

}  // namespace

Answers MapModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  Matrix<double> features(samples.size(), parts_.map->columns());
  parts_.map->transform(samples, features.view(), run);
  return {.predictions = std::move(features)};
}

void MapModel::Parts::fields(Fields& visit) {
  visit.kernel(kernel);
  map_fields(visit, kind, kernel, map);
  visit.require(visit.outputs() == map->columns(), "another number of names than of features");
}

std::unique_ptr<MapModel> fit_map(MapKind kind, const Kernel& kernel, const MapOptions& options,
                                  const TrainingData& data, const Run& run) {
  if (kind == MapKind::nystroem || kind == MapKind::automatic) {
    throw InvalidArgument("fit_map makes fourier, sinks, sketch and chi2; nystroem has a function of its own");
  }
  const std::string name = model_of_kind(kind);
  FitReport report;
  PhaseTimer timer(report);
  timer.start("map");
  const CountedRows rows = counted_rows(name.c_str(), data);
  refuse_unused_weights(name.c_str(), kernel, rows, "the features follow from the kernel and the number of columns",
                        run);
  MadeMap made = make_map(kind, kernel, options, rows.weighted(), run);
  timer.start("error");
  report_map(made, rows.samples, report, run);
  timer.stop();
  return std::make_unique<MapModel>(ModelHead{.name = name,
                                              .requested_kernel = kernel.spec(),
                                              .settings = settings_of(map_option_table(kind), options),
                                              .output_names = feature_names(made.map->columns()),
                                              .report = std::move(report)},
                                    MapModel::Parts{.kind = kind, .kernel = made.kernel, .map = made.map});
}

std::unique_ptr<FeatureModel> fit_nystroem(const Kernel& kernel, const MapOptions& options, const TrainingData& data,
                                           const Run& run) {
  FitReport report;
  PhaseTimer timer(report);
  timer.start("landmarks");
  const CountedRows rows = counted_rows("nystroem", data);
  if (options.landmarks == LandmarkRule::greedy) {
    refuse_unused_weights("nystroem", kernel, rows,
                          "landmarks=greedy takes what the others leave most of, however often it occurs", run);
  }
  const MadeMap made = make_map(MapKind::nystroem, kernel, options, rows.weighted(), run);
  const auto& map = dynamic_cast<const NystroemMap&>(*made.map);
  timer.start("error");
  report_map(made, rows.samples, report, run);
  const Index count = map.columns();
  std::vector<Index> center_rows;
  for (const Index row : made.landmark_rows) {
    center_rows.push_back(rows.rows[row]);
  }
  std::optional<FeatureResidual> residual;
  if (definiteness_on(made.kernel, rows.samples, run).is_positive()) {
    residual = FeatureResidual{std::vector<double>(count, 1.0), {}, 0};
  }
  timer.stop();
  return std::make_unique<FeatureModel>(
      ModelHead{.name = "nystroem",
                .requested_kernel = kernel.spec(),
                .settings = settings_of(nystroem_option_table(), options),
                .output_names = component_names(count),
                .report = std::move(report)},
      FeatureModel::Parts{
          .expansion = Expansion(made.kernel, map.landmarks(), Matrix<double>::copy_of(map.coefficients()),
                                 ParametricPart::none, Matrix<double>(0, count), Precision::double_precision, run),
          .value = ComponentValue::eigenvalue,
          .values = map.values(),
          .center_rows = std::move(center_rows),
          .residual = std::move(residual)});
}

const ModelEntry& fourier_entry() {
  static const ModelEntry entry = map_entry<MapKind::fourier>(
      {"rff", "random-fourier"},
      "random Fourier features: cosines of random projections whose inner products are a kernel of x - x'",
      "rbf(gamma=scale)");
  return entry;
}

const ModelEntry& sinks_entry() {
  static const ModelEntry entry = map_entry<MapKind::sinks>(
      {"kitchen-sinks"},
      "random kitchen sinks: cosines, steps, ramps or tanh of random projections, for a linear model on top",
      "rbf(gamma=scale)");
  return entry;
}

const ModelEntry& sketch_entry() {
  static const ModelEntry entry = map_entry<MapKind::sketch>(
      {"tensor-sketch", "polysketch"}, "tensor sketch: random features whose inner products are a polynomial kernel",
      "poly(degree=2)");
  return entry;
}

const ModelEntry& chi2map_entry() {
  static const ModelEntry entry = map_entry<MapKind::chi2>(
      {"chi2-map"}, "features of the additive chi-squared or intersection kernel of histograms", "additive_chi2()");
  return entry;
}

const ModelEntry& nystroem_entry() {
  static const ModelEntry entry =
      make_entry<FeatureModel>({.name = "nystroem",
                                .aliases = {"nystrom"},
                                .summary = "Nyström features of any kernel from landmarks, drawn or chosen",
                                .task = Task::features,
                                .default_kernel = "rbf(gamma=scale)"},
                               nystroem_option_table(), fit_nystroem);
  return entry;
}

}  // namespace mercer
