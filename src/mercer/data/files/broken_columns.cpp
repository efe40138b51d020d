#include "mercer/data/files/broken_columns.h"

#include <algorithm>
#include <cctype>

#include "mercer/base/error.h"
#include "mercer/data/files/odd_entries.h"

namespace mercer {

namespace {

// How a command line refers to a column.
std::string reference_to(const std::string& name, std::size_t number) {
  if (name.empty() || name.find_first_of(",:'\"") != name.npos) {
    return std::to_string(number);  // flags take lists and ranges
  }
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ||
           static_cast<unsigned char>(c) >= 128;
  });
  return is_plain ? name : "'" + name + "'";
}

WaysOut ways_out_by_flags(const std::string& reference) {
  const std::string correct =
      "correct such entries, or leave them empty where the value is missing; --categorical " + reference;
  const std::string leave_out = ", --ignore " + reference + " leaves the column out";
  const std::string takes = correct + " takes them for categories" + leave_out;
  return {.entries = "entries",
          .refused = takes,
          .for_categories = correct + " says that it is right" + leave_out,
          .for_texts = takes};
}

}  // namespace

void require_whole_columns(const TableLayout& layout, const Run& run) {
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    if (layout.roles[c] != ColumnRole::input) {
      continue;
    }
    const auto odd = find_odd_entry(column, layout.comma, ways_out_by_flags(reference_to(column.name(), c)));
    if (!odd) {
      continue;
    }
    if (odd->outcome == OddEntry::Outcome::refused) {
      throw DataError(odd->place, odd->message);
    }
    run.warn(to_string(odd->place) + ": " + odd->message);
  }
}

}  // namespace mercer
