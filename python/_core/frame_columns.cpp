// Columns of words of a frame, read as the fields of a file are: what they are, numbers, categories or texts, is decided by
// the same rule, and the levels of categories are written in the same way.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/words.h"
#include "mercer/data/files/field_column.h"
#include "mercer/data/notation.h"
#include "texts.h"

namespace mercer::python {

namespace {

// A frame has rows where a file has lines.
class RowPlaces final : public FieldPlaces {
 public:
  void next() { ++row_; }
  FilePlace place(std::size_t /*field*/) const override {
    return {"row " + std::to_string(row_) + " (counted from 0)"};
  }

 private:
  Index row_ = -1;
};

/// What is known of a column before it is read.
enum class Reading { by_content, words, numeric, categorical, text };
constexpr auto words_of(Reading) {
  return std::array{Word{Reading::by_content, "by content"}, Word{Reading::words, "words"},
                    Word{Reading::numeric, "numeric"}, Word{Reading::categorical, "categorical"},
                    Word{Reading::text, "text"}};
}

std::optional<ColumnKind> forced_kind(Reading reading) {
  switch (reading) {
    case Reading::numeric:
      return ColumnKind::numeric;
    case Reading::categorical:
      return ColumnKind::categorical;
    case Reading::text:
      return ColumnKind::text;
    case Reading::by_content:
    case Reading::words:
      break;
  }
  return std::nullopt;
}

FieldColumn column_of(const std::string& name, const nb::sequence& texts, Reading reading, Notation notation) {
  FieldColumn column(name, forced_kind(reading), FieldColumn::Spelling::free);
  if (reading == Reading::words || reading == Reading::categorical) {
    column.expect_categories();
  }
  column.declare_notation(notation);
  RowPlaces places;
  for (const std::string& text : bytes_of(texts)) {
    places.next();
    column.add(text, places, 0);
  }
  return column;
}

// Fields of a file with commas between them.
void find_notation(FieldColumn& column) {
  if (const auto found = column.find_notation(NotationFinder::DecimalComma::impossible).notation;
      found != Notation::plain) {
    column.read_as(found);
  }
}

bool is_of_numbers(const BrokenNotation& broken) {
  return broken.notation == Notation::grouped || broken.notation == Notation::decimal_comma;
}

void refuse_slips(const FieldColumn& column) {
  const auto broken = column.mixture() == Mixture::none
                          ? column.broken_notation(NotationFinder::DecimalComma::impossible)
                          : std::nullopt;
  if (broken && is_of_numbers(*broken) && 20 * broken->fails <= std::max<Index>(20, broken->fits)) {
    throw DataError(broken->place, "column '" + column.name() + "': '" + broken->text + "' is no number, but " +
                                       std::to_string(broken->fits) + " of the " +
                                       std::to_string(broken->fits + broken->fails) +
                                       " values are; correct it, or make the column one of the category type");
  }
  if (const auto odd = column.odd_word()) {
    throw DataError(odd->place, "column '" + column.name() + "': '" + odd->text + "' is not a number, but " +
                                    std::to_string(odd->numbers) + " of the " +
                                    std::to_string(odd->numbers + odd->words) +
                                    " values are; correct it, or make the column one of the category type");
  }
}

// What few entries decide of a column, so that it holds no numbers or dates; empty where nothing needs to be said.
std::string said_of_mixture(const FieldColumn& column, const nb::sequence& texts) {
  std::string odd;
  std::string what;
  Index fits = 0;
  Index fails = 0;
  if (const auto broken = column.broken_notation(NotationFinder::DecimalComma::impossible);
      broken && column.mixture() == Mixture::none) {
    what = broken->fails == 0       ? "a date that is written otherwise than most"
           : is_of_numbers(*broken) ? "no number with separators"
                                    : "no date or time";
    std::tie(odd, fits, fails) = std::tie(broken->text, broken->fits, broken->fails);
  } else if (column.mixture() == Mixture::none || column.mixture() == Mixture::few_levels) {
    return {};
  } else {
    const FieldColumn::OddWord word = column.first_word();
    what = "no number";
    std::tie(odd, fits, fails) = std::tie(word.text, word.numbers, word.words);
  }
  const bool has_categories = column.kind() == ColumnKind::categorical;
  const std::vector<std::string> values = bytes_of(texts);
  const auto first = std::ranges::find_if(values, [&](const std::string& text) { return trim(text) == odd; });
  return "row " + std::to_string(first - values.begin()) + " (counted from 0): column '" + column.name() + "': '" +
         odd + "' is " + what + ", though " + std::to_string(fits) + " of the " + std::to_string(fits + fails) +
         " values are, so that the column is taken for " + (has_categories ? "categories" : "texts") +
         "; where that is wrong, correct such values or leave them missing; the category type says that it is right";
}

template <HasWords Enum>
Enum chosen(std::string_view argument, std::string_view word) {
  if (const auto found = find_word<Enum>(word)) {
    return *found;
  }
  reject_argument(argument, word, join(all_words<Enum>(), ", "));
}

nb::object content_of(const FieldColumn& column, const nb::sequence& known_levels) {
  switch (column.kind()) {
    case ColumnKind::numeric:
      return nb::cast(to_array(std::vector<double>(column.values())));
    case ColumnKind::categorical: {
      ClassLabels labels = column.categories(bytes_of(known_levels));
      return nb::cast(make_categories(std::move(labels.codes), std::move(labels.levels)));
    }
    default:
      return nb::cast(make_strings(column.strings()));
  }
}

// Numbers with NaN where they are missing, or Samples of categories or texts; how the numbers are written; and what is odd
// about the column. A missing field is the empty text.
nb::tuple fields(const std::string& name, const nb::sequence& texts, std::string_view reading,
                 const nb::sequence& known_levels, std::string_view notation) {
  const auto how = chosen<Reading>("reading", reading);
  FieldColumn column = column_of(name, texts, how, chosen<Notation>("notation", notation));
  std::string said;
  if (how == Reading::by_content) {
    find_notation(column);
    refuse_slips(column);
    said = said_of_mixture(column, texts);
  }
  return nb::make_tuple(content_of(column, known_levels), text_of(to_string(column.notation())), text_of(said));
}

// Of days since 1970-01-01.
OutputVector<double> date_part(const InputVector<double>& days, std::string_view part) {
  const auto wanted = chosen<DatePart>("part", part);
  std::vector<double> values;
  for (const double day : span_of(days)) {
    values.push_back(part_of_date(day, wanted));
  }
  return to_array(std::move(values));
}

}  // namespace

void bind_frame_columns(nb::module_& module) {
  module.def("fields", &fields, nb::arg("name"), nb::arg("texts"), nb::arg("reading") = "by content",
             nb::arg("levels") = nb::list(), nb::arg("notation") = "plain");
  module.def("date_part", &date_part, nb::arg("days"), nb::arg("part"));
}

}  // namespace mercer::python
