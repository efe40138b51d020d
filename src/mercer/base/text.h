// Text helpers that every front shares: numbers in shortest round-trip form, strict parsing, name suggestions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The shortest decimal text that reads back as the same double ("0.1", "1e-05", "inf", "nan").
std::string shortest(double value);
std::string shortest(float value);

/// Parses the whole text as a number (leading '+' allowed, "inf" and "nan" too); empty if anything is left over.
std::optional<double> parse_double(std::string_view text);

/// Parses the whole text as an integer; empty on overflow or rest.
std::optional<long long> parse_integer(std::string_view text);

/// Levenshtein distance, case-insensitive.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` if it is near enough to be a likely typing error, otherwise empty.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);

/// " Did you mean 'x'?" or an empty string.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string lower_case(std::string_view text);

}  // namespace mercer
