// Decimal numbers in text that is known to end with a newline, so that no character needs a test for the end.
#pragma once

#include <cstdint>
#include <string_view>

#include "mercer/base/text.h"

namespace mercer::detail {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// 10^0 … 10^22: the powers that a double holds exactly.
inline constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Whether a token may end before this character.
inline bool ends_token(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '#'; }

/// Parses the token that starts at `text` and returns its end, or null if it is not a number. Correctly rounded: the
/// short way is one exact integer and one exact power of ten, so a single rounding; everything else takes from_chars.
inline const char* parse_token(const char* text, double& value) {
  const char* p = text;
  const bool negative = *p == '-';
  p += (*p == '-' || *p == '+') ? 1 : 0;
  std::uint64_t mantissa = 0;
  const char* const digits = p;
  for (; is_digit(*p); ++p) {
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
  }
  auto count = p - digits;
  std::int64_t fraction = 0;
  if (*p == '.') {
    const char* const point = p++;
    for (; is_digit(*p); ++p) {
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
    }
    fraction = p - point - 1;
    count += fraction;
  }
  // Up to 18 digits cannot overflow 64 bits.
  if (ends_token(*p) && count > 0 && count <= 18 && mantissa < (std::uint64_t{1} << 53)) {
    const double whole = static_cast<double>(mantissa);
    const double magnitude = fraction == 0 ? whole : whole / exact_powers[fraction];
    value = negative ? -magnitude : magnitude;
    return p;
  }
  while (!ends_token(*p)) {
    ++p;
  }
  const auto parsed = parse_double({text, static_cast<std::size_t>(p - text)});
  if (!parsed) {
    return nullptr;
  }
  value = *parsed;
  return p;
}

}  // namespace mercer::detail
