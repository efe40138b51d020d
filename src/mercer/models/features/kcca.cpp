#include "mercer/models/features/kcca.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/features/kernel_cca.h"
#include "mercer/models/features/feature_rows.h"
#include "mercer/models/features/target_view.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

KernelCcaOptions correlation_options(const KccaOptions& options) {
  KernelCcaOptions result;
  result.components = options.components;
  result.regularization = options.regularization;
  result.target_regularization = options.target_regularization;
  return result;
}

// Whether more than rounding is left of the coordinates without their mean.
bool view_varies(const CenteredRows& view, const Matrix<double>& coordinates) {
  const auto largest = [](const Matrix<double>& values) {
    double size = 0;
    for (Index i = 0; i < values.rows() * values.columns(); ++i) {
      size = std::max(size, std::abs(values.data()[i]));
    }
    return size;
  };
  const double share = 1 / std::sqrt(static_cast<double>(std::max<Index>(1, coordinates.rows())));
  return largest(view.rows) > 1e-12 * share * largest(coordinates);
}

}  // namespace

void KccaOptions::validate() const { check_options<KccaOptions>("kcca", kcca_option_table(), *this); }

std::span<const Option<KccaOptions>> kcca_option_table() {
  static const std::array<Option<KccaOptions>, 5> table{{
      {"components", &KccaOptions::components, "how many pairs of functions, at most", Constraint::positive},
      {"regularization", &KccaOptions::regularization,
       "penalty on functions of the samples, relative to the variance of all directions together; 0 correlates "
       "everything with everything",
       Constraint::nonnegative},
      {"target_regularization", &KccaOptions::target_regularization, "the same for functions of the targets",
       Constraint::nonnegative},
      {"target_kernel", &KccaOptions::target_kernel,
       "kernel on the targets: numbers are standardized, labels are columns of 0 and 1"},
      {"rank", &KccaOptions::rank,
       "training rows that the functions are built from, at most; 0: 1000, fewer beyond 20000 rows",
       Constraint::nonnegative},
  }};
  return table;
}

std::unique_ptr<FeatureModel> fit_kcca(const Kernel& kernel, const KccaOptions& options, const TrainingData& data,
                                       const Run& run) {
  options.validate();
  require_targets(data);
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const FeatureRows rows = feature_rows("kcca", kernel, data, run);
  const PivotCoordinates coordinates = feature_coordinates("kcca", rows, options.rank, report, run);
  const FeatureRows targets = feature_rows(
      "kcca", options.target_kernel.kernel(),
      {.samples = target_samples(data.targets, rows.rows, rows.weights), .targets = {}, .weights = rows.weights}, run);
  FitReport target_report;
  const PivotCoordinates target_coordinates =
      feature_coordinates("kcca: target_kernel", targets, options.rank, target_report, run);
  timer.start("correlations");
  const CenteredRows x = centered_rows(coordinates.values.view(), rows.weights);
  const CenteredRows y = centered_rows(target_coordinates.values.view(), rows.weights);
  if (!view_varies(x, coordinates.values) || !view_varies(y, target_coordinates.values)) {
    throw DataError(view_varies(x, coordinates.values) ? "kcca: the targets are all alike to " + targets.kernel().spec()
                                                       : "kcca: the samples are all alike to " + rows.kernel().spec());
  }
  KernelCca found = kernel_cca(x.rows.view(), y.rows.view(), correlation_options(options), run);
  if (found.correlations.empty()) {
    throw DataError("kcca: no function of the samples correlates with one of the targets");
  }
  timer.start("model");
  FeatureModel::Parts parts =
      projection_parts(rows, coordinates, x.mean, found.x_directions.view(), Directions::oblique, run);
  report.measures.push_back({"rank of the targets", static_cast<double>(target_coordinates.rank())});
  report.measures.push_back({"correlation of the first pair over the sample", found.sample_correlations.front()});
  report.objective_name = "first canonical correlation";
  report.objective = found.correlations.front();
  timer.stop();
  parts.value = ComponentValue::canonical_correlation;
  parts.values = std::move(found.correlations);
  return std::make_unique<FeatureModel>(ModelHead{.name = "kcca",
                                                  .requested_kernel = rows.requested_kernel,
                                                  .settings = settings_of(kcca_option_table(), options),
                                                  .output_names = component_names(parts.expansion.outputs()),
                                                  .report = std::move(report)},
                                        std::move(parts));
}

const ModelEntry& kcca_entry() {
  static const ModelEntry entry = make_entry<FeatureModel>(
      {.name = "kcca",
       .aliases = {"canonical-correlation"},
       .summary = "kernel canonical correlation: features that correlate most with functions of the targets",
       .task = Task::features,
       .default_kernel = "rbf(gamma=scale)",
       .takes_second_view = true},
      kcca_option_table(), fit_kcca);
  return entry;
}

}  // namespace mercer
