#include "mercer/data/files/csv_header.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
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

constexpr std::size_t most_records = 50;

bool is_number(const std::string& text) { return parse_double(text).has_value(); }

// A name, and below it a number or a date.
bool stands_above_numbers(const std::vector<Record>& records, std::size_t column, char separator) {
  const std::string& name = records[0][column];
  return !is_number(name) && !is_missing(name) && !is_noted(name, separator) &&
         std::any_of(records.begin() + 1, records.end(), [&](const Record& record) {
           return column < record.size() && is_noted(record[column], separator);
         });
}

bool stands_above_numbers(const std::vector<Record>& records, char separator) {
  for (std::size_t c = 0; c < records[0].size(); ++c) {
    if (stands_above_numbers(records, c, separator)) {
      return true;
    }
  }
  return false;
}

bool is_fraction(const std::string& text) { return is_number(text) && !parse_integer(text); }

// Few whole numbers, one of which stands below again: they are as the others of the table. Fractions below are not.
bool are_as_below(const std::vector<Record>& records) {
  constexpr std::ptrdiff_t surely_no_sample = 10;
  bool is_there_again = false;
  for (std::size_t c = 0; c < records[0].size(); ++c) {
    if (!is_number(records[0][c])) {
      continue;
    }
    is_there_again = is_there_again || comes_again(records, c);
    if (std::any_of(records.begin() + 1, records.end(),
                    [&](const Record& record) { return c < record.size() && is_fraction(record[c]); })) {
      return false;
    }
  }
  return is_there_again && std::ranges::count_if(records[0], is_number) < surely_no_sample;
}

// 0 1 2 and below it 3 4 5: numbers of fields, row by row.
bool goes_on_counting(const Record& first, const Record& second) {
  return first.size() == second.size() &&
         std::equal(first.begin(), first.end(), second.begin(),
                    [&](const std::string& above, const std::string& below) {
                      const auto number = parse_integer(above);
                      return number && parse_integer(below) == *number + static_cast<long long>(first.size());
                    });
}

// A number above words alone is none of theirs.
bool stands_number_above_words(const std::vector<Record>& records) {
  for (std::size_t c = 0; c < records[0].size(); ++c) {
    const auto has_word = [&](const Record& record) {
      return c < record.size() && !is_missing(record[c]) && !is_number(record[c]);
    };
    if (is_number(records[0][c]) && std::all_of(records.begin() + 1, records.end(), has_word)) {
      return true;
    }
  }
  return false;
}

// An index has no name, and a value in every row.
bool has_unnamed_index(const std::vector<Record>& records) {
  return records[0].front().empty() &&
         std::all_of(records.begin() + 1, records.end(), [](const Record& record) { return !record.front().empty(); });
}

bool counts_rows(const std::vector<Record>& records) {
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (records[i].front() != std::to_string(i - 1)) {
      return false;
    }
  }
  return true;
}

FirstLine judge_numbers(const std::vector<Record>& records, char separator) {
  const Record& first = records[0];
  const std::ptrdiff_t numbers = std::ranges::count_if(first, is_number);
  const bool has_index = has_unnamed_index(records);
  const auto has_gap = [](const std::string& field) { return !is_number(field) && is_missing(field); };
  if (std::any_of(first.begin() + (has_index ? 1 : 0), first.end(), has_gap)) {
    return FirstLine::sample;
  }
  const bool differs = stands_above_numbers(records, separator) || stands_number_above_words(records);
  const std::ptrdiff_t needed = has_index && counts_rows(records) ? 1 : has_index || differs ? 2 : 3;
  const bool is_sample =
      !count_columns(first) || numbers < needed || are_as_below(records) || goes_on_counting(first, records[1]);
  return is_sample ? FirstLine::sample : FirstLine::counted;
}

}  // namespace

bool count_columns(const std::vector<std::string>& fields) {
  Index next = 0;
  return std::ranges::all_of(
      fields, [&](const std::string& field) { return !is_number(field) || field == std::to_string(next++); });
}

bool has_numbers_as_below(std::string_view head, char separator) {
  const std::vector<Record> records = first_records(head, separator, most_records);
  return !records.empty() && are_as_below(records);
}

std::vector<std::string> first_fields(std::string_view head, char separator) {
  std::vector<Record> records = first_records(head, separator, 1);
  return records.empty() ? Record{} : std::move(records.front());
}

std::optional<FirstLine> judge_first_line(std::string_view head, char separator) {
  const std::vector<Record> records = first_records(head, separator, most_records);
  if (records.size() < 2) {
    return std::nullopt;
  }
  const Record& first = records[0];
  if (std::any_of(first.begin(), first.end(), is_number)) {
    return judge_numbers(records, separator);
  }
  if (stands_above_numbers(records, separator)) {
    return FirstLine::names;
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
