// Columns of mostly numbers with a word among them: a typing error far more often than categories. Left alone, the
// column would count as categorical and kernels without subscript would not see it; so it is refused.
#pragma once

#include <string>

#include "mercer/data/data_file.h"

namespace mercer::program {

/// Throws DataError naming file, column, row and word where more than half of the fields of a column that was not
/// declared (--categorical, --text) are numbers. The reader does not keep lines: rows are counted from 0.
void require_unmixed_columns(const DataFile& data, const ReadOptions& options, const std::string& file);

}  // namespace mercer::program
