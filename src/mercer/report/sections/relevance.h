// Relevance of the input columns: by the length scales of a kernel that has one per column (automatic relevance
// determination), or by the weights of a linear model.
//
//   relevance_j = (1/ℓ_j²) / Σ (1/ℓ²): the share of the column in squared distances, columns being scaled alike
//
// References: Neal (1996); Schölkopf & Smola (2002), 16.3.
#pragma once

#include <optional>

#include "mercer/models/stored_model.h"
#include "mercer/report/report_data.h"

namespace mercer {

/// The most relevant columns first, at most `most`. Nothing where no kernel of the expression has a width per column and
/// the model is not linear. `samples`: any of the model's, for the numbers of columns that subscripts name.
std::optional<RelevanceSection> relevance_section(const StoredModel& stored, const Samples& samples, Index most = 50);

}  // namespace mercer
