#include "mercer/models/density/kde.h"

#include <algorithm>

#include "mercer/models/model_entry.h"
#include "mercer/models/model_state.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

std::span<const Option<KdeOptions>> kde_option_table() {
  static const std::vector<Option<KdeOptions>> table = KdeOptions::table<KdeOptions>();
  return table;
}

std::unique_ptr<KdeModel> fit_kde(const KdeOptions& options, const TrainingData& data, const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("bandwidth");
  DensityRows rows = density_rows(data, "kde");
  KernelDensity density = fit_kernel_density(options, std::move(rows), report, run);
  timer.stop();
  return std::make_unique<KdeModel>(KdeModel::Parts{.settings = settings_of(kde_option_table(), options),
                                                    .density = std::move(density),
                                                    .report = std::move(report)});
}

Matrix<double> KdeModel::predict(const Samples& samples, const Run& run) const {
  const std::vector<double> values = parts_.density.log_density(density_points(samples, "kde").view(), run);
  Matrix<double> result(samples.size(), 1);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

ModelState KdeModel::state() const {
  ModelState state;
  state.model = "kde";
  state.output_names = output_names();
  state.settings = parts_.settings;
  state.report = parts_.report;
  store_density(parts_.density, "", state);
  return state;
}

std::unique_ptr<KdeModel> KdeModel::from_state(const ModelState& state, const Run& /*run*/) {
  KdeOptions options;
  apply_settings<KdeOptions>(state.model, kde_option_table(), state.settings, options);
  options.validate();
  return std::make_unique<KdeModel>(
      Parts{.settings = state.settings, .density = stored_density(state, "", options), .report = state.report});
}

const ModelEntry& kde_entry() {
  static const ModelEntry entry =
      make_entry<KdeModel>({.name = "kde",
                            .aliases = {"parzen"},
                            .summary = "kernel density estimate (Parzen windows): how likely is a sample?",
                            .task = Task::density},
                           kde_option_table(), fit_kde);
  return entry;
}

}  // namespace mercer
