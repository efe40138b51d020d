// Forecasts of a time series by iteration: a model of the next value (data/embedding.h) answers for the row behind the last
// one, and its answer becomes a part of the past of those to come,
//
//   ẑ(T) = f(z(T − τ), …, z(T − Nτ)),   ẑ(T + 1) = f(x̂(T + 1)), …   with ẑ in place of z from T on
//
// Errors of one step enter the next ones: of a chaotic series they grow exponentially.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/files/data_file.h"
#include "mercer/models/stored_model.h"

namespace mercer {

/// The `steps` values of the series behind its last known one. Rows of `raw` are in the order of time, at `times` (empty: 0,
/// 1 …). Where the model looks at other columns than the series, these rows go on with them behind its last value. O(steps)
/// single evaluations. InvalidArgument for a model that embeds no series or steps < 1; DataError where a value that is
/// looked back at is missing, or columns of the future are, unless the
/// model's kernel takes missing values. Warns once of levels that the training rows did not have.
std::vector<double> forecast_series(const StoredModel& stored, const Samples& raw, std::span<const Index> times,
                                    Index steps, const Run& run = {});

/// What a file says beside its samples: DataError where a word of the `steps` rows behind the last value is missing, which as a
/// code is the same as one that is not known.
void require_known_categories(const StoredModel& stored, const DataFile& series, Index steps);

/// The row behind the last known value of the series as a model takes it, raw: for its distribution. Throws as
/// forecast_series().
Samples next_series_row(const StoredModel& stored, const Samples& raw, std::span<const Index> times);

}  // namespace mercer
