// Whether a delimited text begins with a line of column names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Names hold no number and stand above at least one numeric column. `likely_names`: all columns are texts, and the line
/// consists of distinct words none of which comes again in its own column, as some samples do, too.
enum class FirstLine { sample, likely_names, names };

/// `head`: the first bytes of the text. Empty where they do not reach the second record.
std::optional<FirstLine> judge_first_line(std::string_view head, char separator);

/// The fields of the first record, trimmed, as far as the head reaches.
std::vector<std::string> first_fields(std::string_view head, char separator);

}  // namespace mercer
