// Whether a delimited text begins with a line of column names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Names hold no number and stand above at least one numeric column. `likely_names`: all columns are texts, and the line
/// consists of distinct words none of which comes again in its own column, as some samples do, too. `counted`: its numbers
/// are 0, 1, 2 …, what columns without names are called in data frames; what else stands there are words, or the empty name
/// of an index in front. Such a line is taken for a sample all the same
///   - with fewer than three numbers; two will do where a word stands above numbers, a number above words, or beside an index,
///     and one beside an index that counts the rows;
///   - with fewer than ten, where one of them comes again in its column and these hold whole numbers alone;
///   - where the second line goes on counting.
enum class FirstLine { sample, likely_names, names, counted };

/// `head`: the first bytes of the text. Empty where they do not reach the second record.
std::optional<FirstLine> judge_first_line(std::string_view head, char separator);

/// The fields of the first record, trimmed, as far as the head reaches.
std::vector<std::string> first_fields(std::string_view head, char separator);

/// Whether the numbers among the fields are 0, 1, 2 …, in this order.
bool count_columns(const std::vector<std::string>& fields);

/// Whether the numbers of the first record may be those of a sample as the next ones are: fewer than ten, one of which stands
/// again in its column, and no fractions below.
bool has_numbers_as_below(std::string_view head, char separator);

}  // namespace mercer
