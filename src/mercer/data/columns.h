// Column subscripts: which columns of the samples a kernel looks at.
//
// Text form, as in a kernel spec: [age, "body mass", 0:3, 7, age:bmi]. A name may stand bare where it is an identifier, any
// other is quoted ("" and \" and \\ as in JSON). Numbers count from 0, 0:3 is 0, 1, 2: the columns of a file, where the
// subscript is of a kernel that is fitted to one (its reader makes them names), and the numeric columns of samples else.
// age:bmi is all columns from the one to the other, both included.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "mercer/data/samples.h"

namespace mercer {

struct ColumnName {
  std::string name;
  bool operator==(const ColumnName&) const = default;
};

/// Columns begin … end-1 by number.
struct ColumnSpan {
  Index begin = 0;
  Index end = 0;
  bool operator==(const ColumnSpan&) const = default;
};

/// All columns from one to another, in the order of the file; of samples whose file nobody knows, numbers come first.
struct ColumnNameRange {
  std::string first;
  std::string last;
  bool operator==(const ColumnNameRange&) const = default;
};

using ColumnReference = std::variant<ColumnName, ColumnSpan, ColumnNameRange>;

struct ColumnSelection {
  std::vector<ColumnReference> references;
  bool operator==(const ColumnSelection&) const = default;
};

/// Prints "[age, \"body mass\", 0:3]"; a single column prints as its number.
std::string to_string(const ColumnSelection& selection);
/// A reference as in that text.
std::string to_string(const ColumnReference& reference);

/// Whether kernels behind a subscript see the columns of 0 and 1 of the categories that it names, where the table has such
/// for subscripts (Table::indicator_sources). `columns`: no, the categories themselves. `vectors`: yes, and not the
/// categories: kernels on vectors. `both`: beside them.
enum class CategoriesAs { columns, vectors, both };

/// The samples seen through the subscript; identity of rows is kept. Only numeric columns: dense or sparse samples of
/// those columns in the order written. One column of another kind: the samples of that column. A mixture of numeric
/// and other columns, or several others: a table. Unknown names throw InvalidArgument with the nearest name; numbers
/// out of range say how many columns there are. Indicators of a table have names but no numbers.
Samples select_columns(const Samples& samples, const ColumnSelection& selection,
                       CategoriesAs categories = CategoriesAs::columns);

/// The numbers of the numeric columns that the subscript names, in the order written; those of categories behind them.
std::vector<Index> selected_numeric_columns(const Samples& samples, const ColumnSelection& selection,
                                            CategoriesAs categories = CategoriesAs::columns);

/// The first so many columns of numeric samples; identity of rows is kept.
Samples first_columns(const Samples& numeric, Index count);

/// What a kernel without subscript sees: all numeric columns of a table, the samples themselves otherwise. A table
/// without numeric columns but with exactly one other column stands for that column.
Samples default_columns(const Samples& samples);

}  // namespace mercer
