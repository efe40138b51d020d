// A density over the plane of two columns, with the rows on it and lines that hold a given share of them: the region
// {x : p(x) >= level} is the smallest one that holds its share where rows are drawn from p (highest density region;
// Hyndman 1996). The level of a share s is the (1 - s)-quantile of p over the rows.
#pragma once

#include <array>

#include "mercer/report/numeric_columns.h"
#include "mercer/report/predictions.h"
#include "mercer/report/report_input.h"

namespace mercer {

/// p itself in the units of the file. Two columns that are all there is: the density. Two of more: for kernel densities
/// the marginal one, for others a section with the other columns at their medians, without lines. Histograms have
/// cells and no lines. O(grid²) densities.
RegionsSection density_map(const ReportInput& input, const Predictions& predictions, const NumericColumns& columns,
                           const std::array<Index, 2>& axes, const Run& run);

/// Levels of the shares 25, 50, 75 and 95 %, from densities at the rows; infinite ones left out. Falling levels.
std::vector<DensityLevel> density_levels(std::vector<double> densities);

}  // namespace mercer
