// Whether a delimited text begins with a line of column names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// `head`: the first bytes of the text. A header has no numbers, stands above at least one numeric column, or, where
/// all columns are texts, consists of distinct words none of which comes again in its own column. Empty where the head
/// does not reach the second record.
std::optional<bool> looks_like_header(std::string_view head, char separator);

}  // namespace mercer
