// A plane of two input columns: which ones, the grid over them, and numbers on it. Coordinates are in the units of the
// data file; rows of equal y stand one after the other.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "mercer/report/numeric_columns.h"
#include "mercer/report/report_input.h"

namespace mercer {

/// Nodes along each axis, where nothing else is said.
inline constexpr Index plane_grid_size = 100;

/// The columns that were asked for, or both of two that are all there is; nothing otherwise. InvalidArgument for axes
/// that are no two different numeric columns.
std::optional<std::array<Index, 2>> plane_columns(const ReportInput& input, const NumericColumns& columns);

/// Equal steps from below the least to above the largest value, by a share of their distance.
std::vector<double> plane_axis(const std::vector<double>& values, Index nodes = plane_grid_size,
                               double margin_share = 0.08);

/// One sample per node, all other columns as NumericColumns::with_columns() has them.
Samples plane_samples(const NumericColumns& columns, const std::array<Index, 2>& axes, const std::vector<double>& x,
                      const std::vector<double>& y);

/// A column of values at the nodes as a picture: one row per y, `width` nodes each.
Matrix<double> plane_values(const Matrix<double>& nodes, Index column, Index width = plane_grid_size);

/// In words: what the plane is.
std::string plane_meaning(const NumericColumns& columns, const std::array<Index, 2>& axes);

/// The values of some rows.
template <class T>
std::vector<T> picked_values(const std::vector<T>& values, const std::vector<Index>& rows) {
  std::vector<T> result;
  result.reserve(rows.size());
  for (const Index i : rows) {
    result.push_back(values[i]);
  }
  return result;
}

}  // namespace mercer
