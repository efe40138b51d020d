// What few entries decide of a column that would otherwise hold numbers or dates, in words: files and frames say the same,
// each with its own ways out.
#pragma once

#include <optional>
#include <string>

#include "mercer/data/files/field_column.h"

namespace mercer {

/// What to do about such a column, as whoever reads it would.
struct WaysOut {
  std::string entries;         ///< what the column's fields are called
  std::string refused;         ///< where it is refused
  std::string for_categories;  ///< where it is taken for categories
  std::string for_texts;
};

struct OddEntry {
  enum class Outcome { refused, warned };
  Outcome outcome = Outcome::warned;
  FilePlace place;
  std::string text;
  std::string message;  ///< "column 'age': '4O' is not a number, but 99 of the 100 entries are; correct such …"
};

/// The first entry that makes the column of another kind than most of its entries are. Of an input whose kind nobody has
/// said, when all of it is read and notations have been found.
std::optional<OddEntry> find_odd_entry(const FieldColumn& column, NotationFinder::DecimalComma comma,
                                       const WaysOut& ways_out);

}  // namespace mercer
