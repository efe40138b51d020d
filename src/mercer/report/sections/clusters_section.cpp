#include "mercer/report/sections/clusters_section.h"

#include "mercer/report/numeric_columns.h"
#include "mercer/report/sections/calibration.h"
#include "mercer/report/target_colors.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

void add_spreads(const Predictions& predictions, ClustersSection& section) {
  section.spreads.assign(section.sizes.size(), 0);
  for (Index i = 0; i < predictions.rows(); ++i) {
    const auto c = predictions.classes[i];
    section.spreads[c] += predictions.decisions(i, c);
  }
  for (std::size_t c = 0; c < section.spreads.size(); ++c) {
    section.spreads[c] =
        section.sizes[c] > 0 ? section.spreads[c] / static_cast<double>(section.sizes[c]) : unknown_value;
  }
}

void add_labels(const ReportInput& input, const Predictions& predictions, ClustersSection& section) {
  const TargetColors colors = target_colors(input);
  if (colors.classes.empty()) {
    return;
  }
  section.target = colors.target;
  section.labels = colors.classes;
  section.by_label =
      Matrix<Index>::filled(static_cast<Index>(section.sizes.size()), static_cast<Index>(colors.classes.size()), 0);
  for (std::size_t i = 0; i < colors.codes.size(); ++i) {
    if (colors.codes[i] >= 0) {
      ++section.by_label(predictions.classes[i], colors.codes[i]);
    }
  }
}

}  // namespace

std::vector<std::string> cluster_names(const FittedModel& model) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < model.decision_names().size(); ++c) {
    names.push_back("cluster " + std::to_string(c));
  }
  return names;
}

ClustersSection clusters_section(const ReportInput& input, const Predictions& predictions) {
  ClustersSection section;
  section.names = cluster_names(input.model());
  for (const std::int32_t cluster : predictions.classes) {
    while (cluster >= static_cast<std::int32_t>(section.names.size())) {
      section.names.push_back("cluster " + std::to_string(section.names.size()));
    }
  }
  section.sizes.assign(section.names.size(), 0);
  for (const std::int32_t cluster : predictions.classes) {
    ++section.sizes[cluster];
  }
  if (predictions.decisions.columns() == static_cast<Index>(section.names.size())) {
    add_spreads(predictions, section);
  }
  add_labels(input, predictions, section);
  const NumericColumns columns(input.samples, input.stored->preparation.scaling, input.stored->preparation.schema);
  if (columns.count() == 1 && columns.alone()) {
    section.column = columns.name(0);
    section.histogram = margin_histogram(section.names, predictions.classes, columns.values(0));
  }
  return section;
}

}  // namespace mercer
