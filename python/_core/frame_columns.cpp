// Columns of words of a frame, read as the fields of a file are: what they are, numbers, categories or texts, is decided by
// the same rule, and the levels of categories are written in the same way.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/words.h"
#include "mercer/data/files/field_column.h"
#include "mercer/data/files/odd_entries.h"
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

const WaysOut& ways_out_by_types() {
  static const WaysOut ways_out{
      .entries = "values",
      .refused = "correct such values, or make the column one of the category type",
      .for_categories = "correct such values or leave them missing; the category type says that it is right",
      .for_texts = "correct such values or leave them missing; the category type makes it one of categories"};
  return ways_out;
}

// What few values decide of a column, so that it holds no numbers or dates; empty where nothing needs to be said. DataError
// where they are slips.
std::string said_of_odd_values(const FieldColumn& column, const nb::sequence& texts) {
  const auto odd = find_odd_entry(column, NotationFinder::DecimalComma::impossible, ways_out_by_types());
  if (!odd) {
    return {};
  }
  constexpr std::size_t longest_quoted = 40;  // of an entry in a message
  const std::vector<std::string> values = bytes_of(texts);
  const auto first = std::ranges::find_if(values, [&](const std::string& text) {
    return trim(text).substr(0, longest_quoted) == std::string_view(odd->text).substr(0, longest_quoted);
  });
  const std::string row = "row " + std::to_string(first - values.begin()) + " (counted from 0)";
  if (odd->outcome == OddEntry::Outcome::refused) {
    throw DataError({row}, odd->message);
  }
  return row + ": " + odd->message;
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
      ClassLabels labels = column.categories(bytes_of(known_levels), FieldColumn::MissingWords::known_levels);
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
    said = said_of_odd_values(column, texts);
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
