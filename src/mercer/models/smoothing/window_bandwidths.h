// Bandwidths of window averages, one per column (Murphy 2012, 14.7.4; Härdle 1990, chapter 5).
//
//   cv         the least leave-one-out error, by quasi-Newton steps in ln h from several starts; columns that do not
//              matter get windows wider than the data
//   normal     the normal rule for densities with robust deviations, h_j = 1.4826 MAD_j (4 / ((d + 2) n))^{1/(d+4)}
//   heuristic  √(h_x h_y) with the normal rule for both: depends on the unit of y, kept for comparison only
//   numbers    one for all columns, or one per column, separated by commas
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/model.h"
#include "mercer/models/smoothing/window_widths.h"
#include "mercer/smoothing/smoothing_kernel.h"

namespace mercer {

/// Positive bandwidths of all columns. Notes and the leave-one-out error go into the report. InvalidArgument for a list of
/// another length. cv of more than 5000 rows: from 5000 of them drawn by run.seed(), narrowed as n^{-1/(d+4)}.
std::vector<double> window_bandwidths(std::string_view model, const WindowWidths& wanted, SmoothingShape shape,
                                      const Matrix<double>& points, std::span<const double> weights,
                                      const Matrix<double>& targets, FitReport& report, const Run& run);

}  // namespace mercer
