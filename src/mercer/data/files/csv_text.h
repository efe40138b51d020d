// CSV, TSV and blank-separated tables.
//
// Columns are numeric, categorical (few distinct short texts) or text, found from their contents. The columns for
// targets, weights, groups and noise are taken out by name or number. With a header, or with a column that is not
// numeric, the samples are a Table; a headerless file of numbers gives dense rows. Columns without a name are called
// after their places in the file: column 0, column 1, … Blanks around a field are not part of it.
#pragma once

#include "mercer/data/files/data_file.h"

namespace mercer {

/// Streams the text: memory is that of the columns, at most 12 bytes per number beyond the result.
DataFile read_csv(InputStream& stream, const ReadOptions& options, const Run& run);

}  // namespace mercer
