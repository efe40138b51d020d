#include "mercer/models/density/kde.h"

#include <algorithm>

#include "mercer/models/model_entry.h"
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
  return std::make_unique<KdeModel>(ModelHead{.name = "kde",
                                              .settings = settings_of(kde_option_table(), options),
                                              .output_names = {"log_density"},
                                              .report = std::move(report)},
                                    KdeModel::Parts{.density = std::move(density), .left_out = std::move(left_out)});
}

Answers KdeModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  const Matrix<double> points =
      parts_.left_out.removed_from(density_points(samples, "kde"), parts_.density.dimension());
  const std::vector<double> values = parts_.density.log_density(points.view(), run);
  Matrix<double> result(samples.size(), 1);
  std::copy(values.begin(), values.end(), result.data());
  return {.predictions = std::move(result)};
}

Matrix<double> KdeModel::draw(const HeldColumns& held, Index count, const Run& run) const {
  HeldColumns kept = held;
  for (Index& column : kept.columns) {
    column = parts_.left_out.place(column);
  }
  return parts_.left_out.put_back(draw_given(parts_.density, kept, count, run));
}

void KdeModel::Parts::fields(Fields& visit) {
  KdeOptions options;
  visit.options(options, kde_option_table());
  left_out.fields(visit);
  density_fields(visit, "", options, left_out, density);
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
