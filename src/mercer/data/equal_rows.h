// Rows that hold the same values: duplicates of a table, a query that equals a training row. Whether two rows are the same
// *sample* is another question (Samples::origin).
#pragma once

#include <vector>

#include "mercer/data/samples.h"

namespace mercer {

/// Whether row i of x and row j of y hold the same values; −0 equals 0, a zero that is stored one that is not, NaN
/// nothing. Rows of kinds that are not compared (sets, bags, graphs) are never equal, nor are rows of different kinds.
bool equal_rows(const Samples& x, Index i, const Samples& y, Index j);

/// For every row the number of the first row that equals it. O(n) rows are hashed, and compared where hashes agree.
std::vector<Index> first_equal_rows(const Samples& samples);

/// Whether row i comes before row j in an order that depends on values alone: numbers column by column, texts by bytes. Rows
/// of kinds that are not compared, and NaN, come before nothing.
bool row_before(const Samples& samples, Index i, Index j);

}  // namespace mercer
