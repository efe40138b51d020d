// Columns of a table whose numbers are not written the plain way (data/notation.h): found while a file is read, kept in its
// schema, and where the parts of dates become columns of their own.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/files/table_layout.h"

namespace mercer {

/// Reads inputs and targets that hold words as numbers, dates or times where all of these are such in one notation. Where
/// 1,234 may be 1234 or 1.234, other columns tell, or a warning says what is taken; so one does of days that may be months.
void find_notations(TableLayout& layout, const std::string& file, const Run& run);

/// The parts of dates that are columns: those of the schema, or all that tell something where the options ask for them.
std::vector<SchemaColumn> date_parts(const TableLayout& layout, const ReadOptions& options);
/// The part of each date.
std::vector<double> parts_of(const std::vector<double>& days, DatePart part);

/// Says in the schema of the inputs which of them are parts of dates, and how others are written.
void add_notations(Schema& schema, const TableLayout& layout, const ReadOptions& options);

}  // namespace mercer
