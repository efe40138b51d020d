#include "mercer/report/sections/plane_grid.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/median.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

std::string four_digits(double value) {
  const double scale = value == 0 ? 1 : std::pow(10, 3 - std::floor(std::log10(std::abs(value))));
  return shortest(std::round(value * scale) / scale);
}

}  // namespace

std::optional<std::array<Index, 2>> plane_columns(const ReportInput& input, const NumericColumns& columns) {
  if (input.axes.empty()) {
    const bool plane = columns.count() == 2 && columns.alone();
    return plane ? std::optional(std::array<Index, 2>{0, 1}) : std::nullopt;
  }
  if (input.axes.size() != 2) {
    throw InvalidArgument("axes: two columns are needed, " + std::to_string(input.axes.size()) + " are given");
  }
  const std::array<Index, 2> found = {columns.find(input.axes[0]), columns.find(input.axes[1])};
  if (found[0] == found[1]) {
    throw InvalidArgument("axes: two different columns are needed, both are " + columns.name(found[0]));
  }
  return found;
}

std::vector<double> plane_axis(const std::vector<double>& values, Index nodes, double margin_share) {
  const auto [least, largest] = std::ranges::minmax(values);
  const double margin = largest > least ? margin_share * (largest - least) : 0.5;
  std::vector<double> axis;
  for (Index k = 0; k < nodes; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(nodes - 1);
    axis.push_back(least - margin + share * (largest - least + 2 * margin));
  }
  return axis;
}

Samples plane_samples(const NumericColumns& columns, const std::array<Index, 2>& axes, const std::vector<double>& x,
                      const std::vector<double>& y) {
  std::vector<double> grid_x;
  std::vector<double> grid_y;
  for (const double at_y : y) {
    for (const double at_x : x) {
      grid_x.push_back(at_x);
      grid_y.push_back(at_y);
    }
  }
  return columns.with_columns(axes[0], grid_x, axes[1], grid_y);
}

Matrix<double> plane_values(const Matrix<double>& nodes, Index column, Index width) {
  Matrix<double> grid(nodes.rows() / width, width);
  for (Index k = 0; k < nodes.rows(); ++k) {
    grid(k / width, k % width) = nodes(k, column);
  }
  return grid;
}

std::string plane_meaning(const NumericColumns& columns, const std::array<Index, 2>& axes) {
  if (columns.count() == 2 && columns.alone()) {
    return "The plane of the two input columns.";
  }
  std::vector<std::string> fixed;
  for (Index j = 0; j < columns.count() && fixed.size() < 6; ++j) {
    if (j != axes[0] && j != axes[1]) {
      fixed.push_back(columns.name(j) + " = " + four_digits(median_of(columns.values(j))));
    }
  }
  return "A section through input space: the other columns are held at their medians (" + join(fixed, ", ") +
         (columns.count() > 8 ? ", ..." : "") + ")" +
         (columns.alone() ? "" : ", columns that are no numbers as in the row nearest to these") +
         ". The points have other values there, so that they may stand in a region that is not theirs.";
}

}  // namespace mercer
