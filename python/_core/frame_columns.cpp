// Columns of words of a frame, read as the fields of a file are: what they are, numbers, categories or texts, is decided by
// the same rule, and the levels of categories are written in the same way.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

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

FieldColumn column_of(const std::string& name, const nb::sequence& texts, Reading reading) {
  FieldColumn column(name, forced_kind(reading), FieldColumn::Spelling::free);
  if (reading == Reading::words || reading == Reading::categorical) {
    column.expect_categories();
  }
  RowPlaces places;
  for (const std::string& text : bytes_of(texts)) {
    places.next();
    column.add(text, places, 0);
  }
  return column;
}

// Numbers with NaN where they are missing, or Samples of categories or texts. A missing field is the empty text.
nb::object fields(const std::string& name, const nb::sequence& texts, std::string_view reading,
                  const nb::sequence& known_levels) {
  const std::optional<Reading> chosen = find_word<Reading>(reading);
  if (!chosen) {
    reject_argument("reading", reading, join(all_words<Reading>(), ", "));
  }
  const FieldColumn column = column_of(name, texts, *chosen);
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

}  // namespace

void bind_frame_columns(nb::module_& module) {
  module.def("fields", &fields, nb::arg("name"), nb::arg("texts"), nb::arg("reading") = "by content",
             nb::arg("levels") = nb::list());
}

}  // namespace mercer::python
