// Rows of a data file that are left once others were dropped for what they lack.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/files/data_file.h"

namespace mercer {

/// Only these rows of the file, ascending; all that belongs to a row is dropped with it.
void keep_rows(DataFile& file, const std::vector<Index>& rows);

/// Training rows alone make levels: those that stand in dropped rows only are left out of the samples and the schema.
void leave_out_unused_levels(DataFile& file);

/// The numbers, in the file as it was, of the rows that are left.
std::vector<Index> rows_left(const DataFile& file, Index rows);

/// DataError where rows were dropped for what they lack and none is left.
void require_rows_left(Index left, Index dropped, const std::string& name);

}  // namespace mercer
