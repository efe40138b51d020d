#include "mercer/data/files/broken_columns.h"

#include <algorithm>

#include "mercer/base/error.h"

namespace mercer {

namespace {

// A column of the layout, and how a command line refers to it.
struct Suspect {
  const FieldColumn& column;
  std::size_t number;

  std::string reference() const {
    const std::string& name = column.name();
    if (name.empty() || name.find_first_of(",:'\"") != name.npos) {
      return std::to_string(number);  // flags take lists and ranges
    }
    const bool is_plain = std::ranges::all_of(name, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ||
             static_cast<unsigned char>(c) >= 128;
    });
    return is_plain ? name : "'" + name + "'";
  }
};

enum class Taken { refused, for_texts, for_categories };
std::string ways_out(const Suspect& suspect, Taken taken) {
  const std::string name = suspect.reference();
  return "correct such entries, or leave them empty where the value is missing; --categorical " + name +
         (taken == Taken::for_categories ? " says that it is right" : " takes them for categories") + ", --ignore " +
         name + " leaves the column out";
}

std::string opening(const Suspect& suspect, const std::string& text) {
  return "column '" + suspect.column.name() + "': '" + text + "' is ";
}

// What a column becomes that is not one of numbers, and what to do about it.
std::string outcome(const Suspect& suspect) {
  const bool has_categories = suspect.column.kind() == ColumnKind::categorical;
  return std::string(", so that the column is taken for ") +
         (has_categories ? "categories" : "texts, which kernels on vectors and models without a kernel leave out") +
         "; where that is wrong, " + ways_out(suspect, has_categories ? Taken::for_categories : Taken::for_texts);
}

std::string shares(Index fits, Index fails) {
  return std::to_string(fits) + " of the " + std::to_string(fits + fails) + " entries are";
}

std::string noun(Notation notation) {
  switch (notation) {
    case Notation::grouped:
      return "number with commas between thousands";
    case Notation::decimal_comma:
      return "number with a decimal comma";
    case Notation::time:
      return "time of day";
    case Notation::plain:
      return "number";
    default:
      return "date";
  }
}

void require_numbers_or_words(const Suspect& suspect, const Run& run) {
  const Mixture mixture = suspect.column.mixture();
  if (mixture == Mixture::none || mixture == Mixture::few_levels) {
    return;
  }
  const auto [place, text, numbers, words] = suspect.column.first_word();
  if (mixture == Mixture::slips) {
    throw DataError(place, opening(suspect, text) + "not a number, but " + std::to_string(numbers) + " of the " +
                               std::to_string(numbers + words) + " fields are; " + ways_out(suspect, Taken::refused));
  }
  run.warn(to_string(place) + ": " + opening(suspect, text) + "no number, though " + shares(numbers, words) +
           outcome(suspect));
}

void require_one_notation(const Suspect& suspect, const BrokenNotation& broken, const Run& run) {
  const bool is_number = broken.notation == Notation::grouped || broken.notation == Notation::decimal_comma;
  const bool are_few = 20 * broken.fails <= std::max<Index>(20, broken.fits);
  const std::string others = noun(broken.notation) + ", though " + shares(broken.fits, broken.fails);
  if (is_number && are_few) {
    throw DataError(broken.place,
                    opening(suspect, broken.text) + "no " + others + "; " + ways_out(suspect, Taken::refused));
  }
  const std::string difference =
      broken.fails == 0 ? "a date, and is written otherwise than the others, which are dates, too" : "no " + others;
  run.warn(to_string(broken.place) + ": " + opening(suspect, broken.text) + difference + outcome(suspect));
}

}  // namespace

void require_whole_columns(const TableLayout& layout, const Run& run) {
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    if (layout.roles[c] != ColumnRole::input) {
      continue;
    }
    if (const auto broken = column.broken_notation(layout.comma); broken && column.mixture() == Mixture::none) {
      require_one_notation({column, c}, *broken, run);
    } else {
      require_numbers_or_words({column, c}, run);
    }
  }
}

}  // namespace mercer
