#include "mercer/data/files/csv_header.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "mercer/base/text.h"
#include "mercer/data/files/csv_tokenizer.h"
#include "mercer/data/files/field_column.h"
#include "mercer/data/notation.h"

namespace mercer {

namespace {

using Record = std::vector<std::string>;

std::vector<Record> first_records(std::string_view head, char separator, std::size_t most_records) {
  std::vector<Record> records;
  InputStream stream("head", head);
  try {
    CsvTokenizer tokenizer(stream, separator);
    std::vector<std::string_view> fields;
    while (records.size() < most_records && tokenizer.next(fields)) {
      Record& record = records.emplace_back();
      for (const std::string_view field : fields) {
        record.emplace_back(trim(field));
      }
    }
  } catch (const DataError&) {  // NOLINT(bugprone-empty-catch)
    // The reader itself will meet the fault and name its place; the records before it are enough here.
  }
  return records;
}

bool is_word(const std::string& text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 128 || c == '_' ||
           c == '.' || c == '-' || c == ' ';
  };
  return !text.empty() && !is_missing(text) && std::all_of(text.begin(), text.end(), fits);
}

// A date, a time, or a number with marks that do not separate fields here.
bool is_noted(const std::string& text, char separator) {
  return std::ranges::any_of(words_of(Notation{}), [&](const Word<Notation>& notation) {
    const bool has_commas = notation.value == Notation::grouped || notation.value == Notation::decimal_comma;
    return !(has_commas && separator == ',') && parse_noted(text, notation.value).has_value();
  });
}

bool comes_again(const std::vector<Record>& records, std::size_t column) {
  return std::any_of(records.begin() + 1, records.end(), [&](const Record& record) {
    return column < record.size() && record[column] == records[0][column];
  });
}

}  // namespace

std::vector<std::string> first_fields(std::string_view head, char separator) {
  std::vector<Record> records = first_records(head, separator, 1);
  return records.empty() ? Record{} : std::move(records.front());
}

std::optional<FirstLine> judge_first_line(std::string_view head, char separator) {
  constexpr std::size_t most_records = 50;
  const std::vector<Record> records = first_records(head, separator, most_records);
  if (records.size() < 2) {
    return std::nullopt;
  }
  const Record& first = records[0];
  const auto is_number = [](const std::string& text) { return parse_double(text).has_value(); };
  if (std::any_of(first.begin(), first.end(), is_number)) {
    return FirstLine::sample;
  }
  for (std::size_t c = 0; c < first.size(); ++c) {
    const bool named = !is_missing(first[c]) && !is_noted(first[c], separator);
    const auto number_below = [&](const Record& record) { return c < record.size() && is_noted(record[c], separator); };
    if (named && std::any_of(records.begin() + 1, records.end(), number_below)) {
      return FirstLine::names;
    }
  }
  const bool distinct = std::set<std::string>(first.begin(), first.end()).size() == first.size();
  if (!distinct || !std::all_of(first.begin(), first.end(), is_word)) {
    return FirstLine::sample;
  }
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (comes_again(records, c)) {
      return FirstLine::sample;
    }
  }
  return FirstLine::likely_names;
}

}  // namespace mercer
