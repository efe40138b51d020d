// What a column without a name is called after its place in the file, which a model keeps to find it in the next one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mercer/base/index.h"

namespace mercer {

/// "column 4"; numbers count from 0.
std::string numbered_column_name(Index number);
/// The number in such a name; nothing in any other.
std::optional<Index> numbered_column(std::string_view name);

}  // namespace mercer
