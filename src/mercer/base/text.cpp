#include "mercer/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace mercer {

namespace {

template <class T>
std::string shortest_of(T value) {
  if (std::isnan(value)) {
    return "nan";  // to_chars would print the sign of a NaN
  }
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

// The place of the first significant digit of a decimal number, exponent included: positive for numbers ≥ 1. from_chars
// does not tell an overflow from an underflow, this does.
long long decimal_order(std::string_view text) {
  const auto exponent_at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, exponent_at);
  long long exponent = 0;
  if (exponent_at < text.size()) {
    const auto written = parse_integer(text.substr(exponent_at + 1));
    exponent = written ? *written : (text[exponent_at + 1] == '-' ? -1'000'000'000'000LL : 1'000'000'000'000LL);
  }
  const auto first = std::min(digits.find_first_of("123456789"), digits.size());
  const auto point = std::min(digits.find('.'), digits.size());
  const auto place = static_cast<long long>(point) - static_cast<long long>(first);
  return (place > 0 ? place : place + 1) + exponent;
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

std::string shortest(double value) { return shortest_of(value); }
std::string shortest(float value) { return shortest_of(value); }

std::optional<double> parse_double(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') {
    text.remove_prefix(1);
  }
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range && end == text.data() + text.size()) {
    const double magnitude = decimal_order(text) > 0 ? HUGE_VAL : 0.0;
    return text[0] == '-' ? -magnitude : magnitude;
  }
  if (code != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<long long> parse_integer(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  long long value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = static_cast<int>(j);
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      const int change = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({row[j - 1] + 1, above + 1, change});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  int best_distance = 1 + static_cast<int>(std::max<std::size_t>(name.size(), 3)) / 3;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(name, candidate);
    const bool keeps_a_letter = distance < static_cast<int>(std::max(name.size(), candidate.size()));
    if (keeps_a_letter && (distance < best_distance || (distance == best_distance && !best))) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto best = nearest_name(name, candidates);
  return best ? " Did you mean '" + *best + "'?" : "";
}

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      text += separator;
    }
    text += parts[i];
  }
  return text;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

}  // namespace mercer
