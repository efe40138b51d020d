#include "mercer/models/features/opca.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/features/oriented_pca.h"
#include "mercer/models/features/feature_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

OrientedPcaOptions oriented_options(const OpcaOptions& options) {
  OrientedPcaOptions result;
  result.components = options.components;
  result.regularization = options.regularization;
  return result;
}

// The number of every row's group, in the order of first appearance.
std::vector<Index> group_numbers(const TrainingData& data, std::span<const Index> rows) {
  std::vector<ClassLabels> columns;
  for (Index o = 0; o < data.targets.outputs(); ++o) {
    columns.push_back(data.targets.labels(o));
  }
  std::map<std::vector<std::int32_t>, Index> known;
  std::vector<Index> groups;
  for (const Index row : rows) {
    std::vector<std::int32_t> key;
    for (const ClassLabels& column : columns) {
      key.push_back(column.codes[row]);
    }
    groups.push_back(known.emplace(std::move(key), static_cast<Index>(known.size())).first->second);
  }
  return groups;
}

}  // namespace

void OpcaOptions::validate() const { check_options<OpcaOptions>("opca", opca_option_table(), *this); }

std::span<const Option<OpcaOptions>> opca_option_table() {
  static const std::array<Option<OpcaOptions>, 3> table{{
      {"components", &OpcaOptions::components, "how many directions, at most", Constraint::positive},
      {"regularization", &OpcaOptions::regularization,
       "noise that every direction has beside that of the groups, relative to the variance of all directions together; "
       "the larger, the nearer to kernel PCA",
       Constraint::positive},
      {"rank", &OpcaOptions::rank,
       "training rows that the functions are built from, at most; 0: 1000, fewer beyond 20000 rows",
       Constraint::nonnegative},
  }};
  return table;
}

std::unique_ptr<FeatureModel> fit_opca(const Kernel& kernel, const OpcaOptions& options, const TrainingData& data,
                                       const Run& run) {
  options.validate();
  require_targets(data);
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const FeatureRows rows = feature_rows("opca", kernel, data, run);
  const std::vector<Index> groups = group_numbers(data, rows.rows);
  const PivotCoordinates coordinates = feature_coordinates("opca", rows, options.rank, report, run);
  timer.start("directions");
  const CenteredRows centered = centered_rows(coordinates.values.view(), rows.weights);
  const Matrix<double> covariance = cross_product(centered.rows.view(), run);
  const Matrix<double> noise = within_groups(coordinates.values.view(), rows.weights, groups, run);
  OrientedDirections found = oriented_directions(covariance.view(), noise.view(), oriented_options(options), run);
  if (found.ratios.empty()) {
    throw DataError("opca: the samples are all alike to " + rows.kernel().spec());
  }
  fix_signs(found.vectors.view());
  timer.start("model");
  FeatureModel::Parts parts =
      projection_parts(rows, coordinates, centered.mean, std::as_const(found.vectors).view(), Directions::oblique, run);
  const Index count = *std::max_element(groups.begin(), groups.end()) + 1;
  report.measures.push_back({"groups", static_cast<double>(count)});
  report.measures.push_back({"variance of the first component", found.signal.front()});
  report.measures.push_back({"of it within groups", found.noise.front()});
  if (count == rows.size()) {
    report.notes.emplace_back(
        "every row is a group of its own: no noise is known, the components are those of kernel PCA");
  }
  report.objective_name = "signal-to-noise ratio of the first component";
  report.objective = found.ratios.front();
  timer.stop();
  parts.value = ComponentValue::signal_to_noise;
  parts.values = std::move(found.ratios);
  return std::make_unique<FeatureModel>(ModelHead{.name = "opca",
                                                  .requested_kernel = rows.requested_kernel,
                                                  .settings = settings_of(opca_option_table(), options),
                                                  .output_names = component_names(parts.expansion.outputs()),
                                                  .report = std::move(report)},
                                        std::move(parts));
}

const ModelEntry& opca_entry() {
  static const ModelEntry entry = make_entry<FeatureModel>(
      {.name = "opca",
       .aliases = {"oriented-pca"},
       .summary = "oriented kernel PCA: directions in which samples differ, but not those of one group",
       .task = Task::features,
       .default_kernel = "rbf(gamma=scale)",
       .takes_second_view = true},
      opca_option_table(), fit_opca);
  return entry;
}

}  // namespace mercer
