// Columns that number the rows of their file ("id", 1 to 1499): they say nothing of new rows. Whether these are such, only
// the user knows, who is told.
#pragma once

#include <string>

#include "mercer/data/files/table_layout.h"

namespace mercer {

/// Warns of inputs that are called as numbers of rows are and hold whole numbers that rise from row to row.
void point_out_numbering(const TableLayout& layout, const std::string& file, const Run& run);

}  // namespace mercer
