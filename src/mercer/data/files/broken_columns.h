// Columns that look like numbers or dates and hold entries that are neither, when no schema says what they are: what few
// such entries decide is refused or said, never done in silence.
#pragma once

#include "mercer/data/files/table_layout.h"

namespace mercer {

/// DataError with place and entry where few words among many numbers are slips. Warnings, which name the first of them,
/// where such a column is taken for categories or texts all the same, or one of dates is. After find_notations().
void require_whole_columns(const TableLayout& layout, const Run& run);

}  // namespace mercer
