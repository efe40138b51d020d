// The surface of a search (`mercer tune`): the score over one or two parameters where a grid was walked, and every point.
#pragma once

#include <optional>

#include "mercer/report/report_data.h"
#include "mercer/select/search/tune_log.h"

namespace mercer {

/// From the log of a search, finished or not. Points on fewer rows than all (early rounds of halving) are left out.
/// Nothing where no point could be fitted. The surface has the first numeric axis as x and the second as y; it is empty
/// for other numbers of axes and where points are no grid.
std::optional<TuningSection> tuning_section(const TuneRecord& record);

}  // namespace mercer
