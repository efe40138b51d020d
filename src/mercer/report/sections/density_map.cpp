#include "mercer/report/sections/density_map.h"

#include <algorithm>
#include <cmath>

#include "mercer/models/density/density_parts.h"
#include "mercer/models/density/density_units.h"
#include "mercer/report/sections/plane_grid.h"
#include "mercer/report/sections/region_points.h"
#include "mercer/report/thinning.h"

namespace mercer {

namespace {

// Lines of smooth densities go around the rows.
constexpr double tail_margin = 0.18;
constexpr std::array held_shares = {0.25, 0.5, 0.75, 0.95};

// The marginal density of two columns at (x, y) pairs in the units of the file.
std::vector<double> marginal_at(const SmoothDensity& kde, const NumericColumns& columns,
                                const std::array<Index, 2>& axes, const std::vector<double>& x,
                                const std::vector<double>& y, const Run& run) {
  Matrix<double> points(static_cast<Index>(x.size()), 2);
  for (Index i = 0; i < points.rows(); ++i) {
    points(i, 0) = columns.scaled(x[i], axes[0]);
    points(i, 1) = columns.scaled(y[i], axes[1]);
  }
  const std::array<Index, 2> places = {kde.left_out().place(axes[0]), kde.left_out().place(axes[1])};
  std::vector<double> values = kde.density().marginal_log_density(places, points.view(), run);
  const double factor = columns.density_factor(axes[0]) * columns.density_factor(axes[1]);
  for (double& value : values) {
    value = factor * std::exp(value);
  }
  return values;
}

void add_marginal(const SmoothDensity& kde, const NumericColumns& columns, const std::array<Index, 2>& axes,
                  RegionsSection& section, const Run& run) {
  std::vector<double> grid_x;
  std::vector<double> grid_y;
  for (const double y : section.y) {
    grid_x.insert(grid_x.end(), section.x.begin(), section.x.end());
    grid_y.insert(grid_y.end(), section.x.size(), y);
  }
  const std::vector<double> values = marginal_at(kde, columns, axes, grid_x, grid_y, run);
  Matrix<double> nodes(static_cast<Index>(values.size()), 1);
  std::ranges::copy(values, nodes.data());
  section.value = plane_values(nodes, 0);
  std::vector<double> at_rows = marginal_at(kde, columns, axes, section.points.x, section.points.y, run);
  for (std::size_t i = 0; i < at_rows.size(); ++i) {
    section.points.values[i] = std::log(at_rows[i]);
  }
  section.levels = density_levels(std::move(at_rows));
  section.how = "The marginal density of these two columns: the others are summed over.";
}

void add_section(const ReportInput& input, const Predictions& predictions, const NumericColumns& columns,
                 const std::array<Index, 2>& axes, RegionsSection& section, const Run& run) {
  const double shift = log_density_factor(*input.stored);
  section.value = plane_values(input.model().predict(plane_samples(columns, axes, section.x, section.y), run), 0);
  for (Index k = 0; k < section.value.rows() * section.value.columns(); ++k) {
    section.value.data()[k] = std::exp(section.value.data()[k] + shift);
  }
  for (double& value : section.points.values) {
    value += shift;
  }
  section.how = plane_meaning(columns, axes);
  section.cells = offered<CellDensity>(input.model()) != nullptr;
  if (columns.count() == 2 && !section.cells) {
    std::vector<double> at_rows = column_of(predictions.values, 0);
    std::ranges::transform(at_rows, at_rows.begin(), [&](double value) { return std::exp(value + shift); });
    section.levels = density_levels(std::move(at_rows));
  }
}

}  // namespace

std::vector<DensityLevel> density_levels(std::vector<double> densities) {
  std::erase_if(densities, [](double value) { return !std::isfinite(value); });
  std::ranges::sort(densities, std::greater<>());
  std::vector<DensityLevel> levels;
  for (const double share : held_shares) {
    const auto held = static_cast<std::size_t>(std::ceil(share * static_cast<double>(densities.size())));
    if (held > 0 && densities[held - 1] > 0) {
      levels.push_back({share, densities[held - 1]});
    }
  }
  return levels;
}

RegionsSection density_map(const ReportInput& input, const Predictions& predictions, const NumericColumns& columns,
                           const std::array<Index, 2>& axes, const Run& run) {
  RegionsSection section;
  section.axis_x = columns.name(axes[0]);
  section.axis_y = columns.name(axes[1]);
  const std::vector<double> x = columns.values(axes[0]);
  const std::vector<double> y = columns.values(axes[1]);
  section.x = plane_axis(x, plane_grid_size, tail_margin);
  section.y = plane_axis(y, plane_grid_size, tail_margin);
  const std::vector<Index> shown = shown_rows(input.rows(), most_points_shown, run.seed());
  section.points =
      region_points(input.model(), predictions, shown, picked_values(x, shown), picked_values(y, shown), {});
  section.thinned = thinned_note(static_cast<Index>(shown.size()), input.rows());
  const auto* const kde = offered<SmoothDensity>(input.model());
  const bool over_both = kde != nullptr && !kde->left_out().contains(axes[0]) && !kde->left_out().contains(axes[1]);
  if (over_both && columns.count() > 2) {
    add_marginal(*kde, columns, axes, section, run);
  } else {
    add_section(input, predictions, columns, axes, section, run);
  }
  return section;
}

}  // namespace mercer
