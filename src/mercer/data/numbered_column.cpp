#include "mercer/data/numbered_column.h"

#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::string_view numbered_prefix = "column ";

}  // namespace

std::string numbered_column_name(Index number) { return std::string(numbered_prefix) + std::to_string(number); }

std::optional<Index> numbered_column(std::string_view name) {
  const auto number =
      name.starts_with(numbered_prefix) ? parse_integer(name.substr(numbered_prefix.size())) : std::nullopt;
  // "column 007" and "column -1" are names that somebody gave.
  return number && *number >= 0 && numbered_column_name(*number) == name ? number : std::nullopt;
}

}  // namespace mercer
