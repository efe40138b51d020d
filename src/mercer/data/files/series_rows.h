// A data file whose rows are a time series, as rows with their past (data/embedding.h).
#pragma once

#include <string>

#include "mercer/data/embedding.h"
#include "mercer/data/files/data_file.h"

namespace mercer {

/// Reading for an embedding: the series is read as an input, whose values may be missing, and nothing is a target.
void read_as_series(ReadOptions& options);

/// The embedding of the column that `reference` means, by name or number as everywhere. The file was read as a series;
/// columns without names are called after their places. DataError where it has no such column of numbers among its
/// inputs, or is none of columns.
Embedding find_embedding(DataFile& file, const std::string& reference, const Delays& delays);

/// Rows that were left out, for the beginning of the series and for missing values.
struct SeriesGaps {
  Index beginning = 0;
  Index missing = 0;
};

/// The file with its rows embedded: the lags in place of the series, which becomes the target where its values are
/// `needed`. What belongs to rows that are left out is left out with them. May leave no row.
SeriesGaps embed_file(DataFile& file, const Embedding& embedding, SeriesValue wanted);

}  // namespace mercer
