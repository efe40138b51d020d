// In how many columns does one row differ from many others? Columns are whole numbers stored column by column; a vector
// register compares 32 bytes of a column at a time: 32 rows where a column has few levels.
#pragma once

#include <cstdint>
#include <span>

#include "mercer/base/index.h"

namespace mercer {

/// Rows that one step of add_differences() reads together: at so many codes past the last row there must be memory.
inline constexpr Index rows_per_step = 128;

/// Counts are kept in lanes as wide as the codes: so many columns fit into a byte.
inline constexpr Index most_columns_at_once = 255;

/// counts[j] += #{c : x[c] ≠ y[c·stride + j]} for the columns c of x, at most `most_columns_at_once`.
void add_differences(std::span<const std::uint8_t> x, const std::uint8_t* y, Index stride,
                     std::span<std::int32_t> counts);
void add_differences(std::span<const std::uint16_t> x, const std::uint16_t* y, Index stride,
                     std::span<std::int32_t> counts);
void add_differences(std::span<const std::uint32_t> x, const std::uint32_t* y, Index stride,
                     std::span<std::int32_t> counts);

}  // namespace mercer
