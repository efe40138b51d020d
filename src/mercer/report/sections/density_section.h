// Densities: the curve of the only column, or of every column where the model knows its marginal densities, with the
// rows beside it, and how likely the model finds the rows.
//
//   kde         the density; of several columns the marginals, in closed form; of one column P(X <= x)
//   histogram   the bars; of several columns the sums over the cells
//   others      the density of one column
//
// A density p' of scaled columns x' is p(x) = p'(x') Π_j |factor_j| in the units of the file.
#pragma once

#include "mercer/report/predictions.h"
#include "mercer/report/report_input.h"

namespace mercer {

/// No more columns have a curve.
inline constexpr Index most_density_curves = 12;

/// `predictions.values` is ln p at the rows. A few hundred densities per curve, O(n) each for kde.
DensitySection density_section(const ReportInput& input, const Predictions& predictions, const Run& run);

}  // namespace mercer
