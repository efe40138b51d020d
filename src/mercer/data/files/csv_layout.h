// From the text of a CSV file to its columns.
#pragma once

#include "mercer/data/files/table_layout.h"

namespace mercer {

/// Reads the whole text. Separator, header, roles and forced kinds come from the options where they are given.
TableLayout read_csv_columns(InputStream& stream, const ReadOptions& options, const Run& run);

}  // namespace mercer
