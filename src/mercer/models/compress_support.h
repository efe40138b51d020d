// What models of support vectors say of themselves once their functions are written by other points (reduced sets).
#pragma once

#include <vector>

#include "mercer/models/model.h"

namespace mercer {

/// The number of a training row that no file has: points that were made up, or whose row is not known any more.
inline constexpr Index no_training_row = (Index{1} << 53) - 1;

inline std::vector<Index> no_training_rows(Index count) { return std::vector<Index>(count, no_training_row); }

/// InvalidArgument unless `expansion` can stand in for `own`: the same kernel, outputs and parametric part.
void require_same_form(const FittedModel& model, const Expansion& own, const Expansion& expansion);

/// The report of a fit whose functions are written by `after` centres now.
FitReport compressed_report(const FitReport& report, Index before, Index after);

}  // namespace mercer
