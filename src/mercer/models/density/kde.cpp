#include "mercer/models/density/kde.h"

#include <algorithm>

#include "mercer/models/model_entry.h"
#include "mercer/models/model_state.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

std::unique_ptr<KdeModel> fit_kde(const KdeOptions& options, const TrainingData& data, const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("bandwidth");
  DensityRows rows = density_rows(data, "kde");
  LeftOutColumns left_out = options.bandwidth.rule() ? constant_columns(rows.points.view()) : LeftOutColumns();
  if (!left_out.columns.empty()) {
    report.notes.push_back(note_of(left_out));
    const Index kept = rows.points.columns() - static_cast<Index>(left_out.columns.size());
    rows.points = left_out.removed_from(std::move(rows.points), kept);
  }
  KernelDensity density = fit_kernel_density(options, std::move(rows), left_out, report, run);
  timer.stop();
  return std::make_unique<KdeModel>(KdeModel::Parts{.settings = settings_of(kde_option_table(), options),
                                                    .density = std::move(density),
                                                    .left_out = std::move(left_out),
                                                    .report = std::move(report)});
}

Matrix<double> KdeModel::predict(const Samples& samples, const Run& run) const {
  const Matrix<double> points =
      parts_.left_out.removed_from(density_points(samples, "kde"), parts_.density.dimension());
  const std::vector<double> values = parts_.density.log_density(points.view(), run);
  Matrix<double> result(samples.size(), 1);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

Matrix<double> KdeModel::draw(const HeldColumns& held, Index count, const Run& run) const {
  HeldColumns kept = held;
  for (Index& column : kept.columns) {
    column = parts_.left_out.place(column);
  }
  return parts_.left_out.put_back(draw_given(parts_.density, kept, count, run));
}

ModelState KdeModel::state() const {
  ModelState state;
  state.model = "kde";
  state.output_names = output_names();
  state.settings = parts_.settings;
  state.report = parts_.report;
  store_density(parts_.density, "", state);
  store_left_out(parts_.left_out, state);
  return state;
}

std::unique_ptr<KdeModel> KdeModel::from_state(const ModelState& state, const Run& /*run*/) {
  KdeOptions options;
  apply_settings<KdeOptions>(state.model, kde_option_table(), state.settings, options);
  options.validate();
  LeftOutColumns left_out = stored_left_out(state, state.array("points").columns());
  return std::make_unique<KdeModel>(Parts{.settings = state.settings,
                                          .density = stored_density(state, "", options, left_out),
                                          .left_out = left_out,
                                          .report = state.report});
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
