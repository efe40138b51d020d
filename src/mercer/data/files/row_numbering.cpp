#include "mercer/data/files/row_numbering.h"

#include <cmath>

#include "mercer/base/text.h"
#include "mercer/data/numbered_column.h"

namespace mercer {

namespace {

// What rows are called or counted by, as columns of this name are wont to: "id", "index", "row names", "customer_id", and no
// name at all in front of others.
bool is_numbering_name(const std::string& name) {
  const std::string lower = lower_case(name);
  for (const char* word : {"id", "idx", "index", "key", "no", "nr", "num", "number", "row", "rowid", "rownames",
                           "rownumber", "obs", "serial", "record", "unnamed: 0", "#"}) {
    if (lower == word) {
      return true;
    }
  }
  return lower.ends_with("_id") || lower.ends_with(" id") || lower.ends_with("-id") || lower.ends_with(".id") ||
         lower.starts_with("id_") || lower.ends_with("_index") || (name.size() > 2 && name.ends_with("ID")) ||
         (name.size() > 2 && name.ends_with("Id"));
}

bool counts_rows(const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != std::floor(values[i]) || (i > 0 && !(values[i] > values[i - 1]))) {
      return false;
    }
  }
  return values.size() > 2;
}

}  // namespace

void point_out_numbering(const TableLayout& layout, const std::string& file, const Run& run) {
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    const bool is_unnamed = layout.named && c == 0 && numbered_column(column.name()) == 0;
    if (layout.roles[c] == ColumnRole::input && column.is_numeric() && column.notation() == Notation::plain &&
        (is_unnamed || is_numbering_name(column.name())) && counts_rows(column.values())) {
      run.warn(file + ": column '" + column.name() + "' rises by whole numbers from row to row, " +
               shortest(column.values().front()) + " to " + shortest(column.values().back()) +
               ", as numbers of rows do, which say nothing of new ones; --ignore leaves it out");
    }
  }
}

}  // namespace mercer
