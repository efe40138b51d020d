// Thinning: which rows a picture shows where there are too many, the same for the same seed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/report/report_data.h"

namespace mercer {

/// No scatter has more points.
inline constexpr Index most_points_shown = 10000;

/// All row numbers, or `most` of them drawn at random, ascending.
std::vector<Index> shown_rows(Index rows, Index most, std::uint64_t seed);
/// What to say about it: nothing where all are shown.
std::optional<Thinned> thinned_note(Index shown, Index of);

}  // namespace mercer
