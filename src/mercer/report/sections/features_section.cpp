#include "mercer/report/sections/features_section.h"

#include <algorithm>

#include "mercer/models/features/component_values.h"
#include "mercer/report/sections/calibration.h"
#include "mercer/report/sections/plane_grid.h"
#include "mercer/report/target_colors.h"
#include "mercer/report/thinning.h"
#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

constexpr std::size_t most_listed_components = 50;
constexpr Index map_rows = 1000;
// Several small pictures beside each other.
constexpr Index map_nodes = 60;

// Of the fit: what values of components that are variances are shares of. NaN: not known.
double total_variance(const FittedModel& model) {
  const double total = model.report().measured(Fact::total_variance).value_or(0);
  return total > 0 ? total : unknown_value;
}

void add_components(const FittedModel& model, FeaturesSection& section) {
  const std::vector<std::string> names = output_headings(model);
  const auto* const features = offered<ComponentValues>(model);
  const bool known = features != nullptr && features->component_values().size() == names.size();
  section.value_name = known ? word_of(features->component_value()) : "";
  const bool has_shares = known && features->component_value() == ComponentValue::variance;
  const double total = has_shares ? total_variance(model) : unknown_value;
  for (std::size_t c = 0; c < std::min(names.size(), most_listed_components); ++c) {
    const double value = known ? features->component_values()[c] : unknown_value;
    section.components.push_back({names[c], value, value / total});
  }
}

RegionPoints colored_points(const std::vector<double>& x, const std::vector<double>& y, const TargetColors& colors,
                            const std::vector<Index>& shown) {
  RegionPoints points;
  points.x = picked_values(x, shown);
  points.y = picked_values(y, shown);
  for (const Index i : shown) {
    if (!colors.classes.empty()) {
      points.classes.push_back(colors.codes[i]);
    } else if (!colors.values.empty()) {
      points.values.push_back(colors.values[i]);
    }
  }
  return points;
}

void add_maps(const ReportInput& input, const TargetColors& colors, FeaturesSection& section, const Run& run) {
  const NumericColumns columns(input.samples, input.stored->preparation.scaling, input.stored->preparation.schema);
  const std::optional<std::array<Index, 2>> axes = plane_columns(input, columns);
  if (!axes) {
    return;
  }
  const std::vector<double> x = columns.values((*axes)[0]);
  const std::vector<double> y = columns.values((*axes)[1]);
  section.axis_x = columns.name((*axes)[0]);
  section.axis_y = columns.name((*axes)[1]);
  section.map_x = plane_axis(x, map_nodes);
  section.map_y = plane_axis(y, map_nodes);
  section.map_points = colored_points(x, y, colors, shown_rows(input.rows(), map_rows, run.seed()));
  const Matrix<double> nodes = input.model().predict(plane_samples(columns, *axes, section.map_x, section.map_y), run);
  const std::vector<std::string> names = output_headings(input.model());
  for (Index c = 0; c < std::min(nodes.columns(), most_feature_maps); ++c) {
    section.maps.push_back({names[c], plane_values(nodes, c, map_nodes)});
  }
}

}  // namespace

FeaturesSection features_section(const ReportInput& input, const Predictions& predictions, const Run& run) {
  FeaturesSection section;
  add_components(input.model(), section);
  const TargetColors colors = target_colors(input);
  section.target = colors.target;
  section.classes = colors.classes;
  if (predictions.values.columns() == 1) {
    const bool labeled = !colors.classes.empty();
    section.histogram = margin_histogram(labeled ? colors.classes : std::vector<std::string>{"rows"},
                                         labeled ? colors.codes : std::vector<std::int32_t>(input.rows()),
                                         column_of(predictions.values, 0));
  } else if (predictions.values.columns() > 1) {
    const std::vector<Index> shown = shown_rows(input.rows(), most_points_shown, run.seed());
    section.points = colored_points(column_of(predictions.values, 0), column_of(predictions.values, 1), colors, shown);
    section.thinned = thinned_note(static_cast<Index>(shown.size()), input.rows());
  }
  add_maps(input, colors, section, run);
  return section;
}

}  // namespace mercer
