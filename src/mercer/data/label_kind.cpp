#include "mercer/data/label_kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr double first_merged = 9007199254740992.0;  // 2⁵³: doubles from here on stand for several integers

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_sign(std::string_view text) {
  return !text.empty() && (text.front() == '+' || text.front() == '-') ? text.substr(1) : text;
}

bool is_negative(std::string_view text) { return text.starts_with('-'); }

// "12" of "12.000" and of "12"; nothing where there is more behind the point than zeros.
std::string_view whole_digits(std::string_view magnitude) {
  const std::string_view digits = magnitude.substr(0, magnitude.find('.'));
  const std::string_view fraction = magnitude.substr(std::min(magnitude.size(), digits.size() + 1));
  const bool is_whole = !digits.empty() && std::ranges::all_of(digits, is_digit) &&
                        std::ranges::all_of(fraction, [](char c) { return c == '0'; });
  return is_whole ? digits : std::string_view();
}

// All digits of a whole number, and no minus before 0.
std::string whole_text(double value) {
  std::array<char, std::numeric_limits<double>::max_exponent10 + 8> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), "%.0f", value == 0 ? 0.0 : value);
  return {digits.data(), static_cast<std::size_t>(length)};
}

std::string integer_text(std::string_view text) {
  const NumberForm form = number_form(text);
  if (form == NumberForm::none || form == NumberForm::padded) {
    return std::string(text);
  }
  if (const std::string_view digits = whole_digits(without_sign(text)); !digits.empty()) {
    return (is_negative(text) && digits != "0" ? "-" : "") + std::string(digits);
  }
  const double value = parse_double(text).value_or(0);  // 1e3, 2.5
  return value == std::trunc(value) ? whole_text(value) : std::string(text);
}

std::string real_text(std::string_view text) {
  const NumberForm form = number_form(text);
  if (form == NumberForm::none || form == NumberForm::padded) {
    return std::string(text);
  }
  const double value = parse_double(text).value_or(0);
  return shortest(value == 0 ? 0.0 : value);
}

std::string boolean_text(std::string_view text) {
  const std::string lower = lower_case(text);
  const std::string number = integer_text(text);
  if (lower == "true" || number == "1") {
    return "True";
  }
  return lower == "false" || number == "0" ? "False" : std::string(text);
}

bool integer_less(std::string_view a, std::string_view b) {
  if (is_negative(a) != is_negative(b)) {
    return is_negative(a);
  }
  const bool smaller = a.size() != b.size() ? a.size() < b.size() : a < b;
  return is_negative(a) ? a != b && !smaller : smaller;
}

}  // namespace

NumberForm number_form(std::string_view text) {
  const auto value = parse_double(text);
  const std::string_view magnitude = without_sign(text);
  const bool is_large = value && std::abs(*value) >= first_merged;
  const bool is_integer =
      value && (std::ranges::all_of(magnitude, is_digit) || (is_large && !whole_digits(magnitude).empty()));
  if (!value || (!std::isfinite(*value) && !is_integer)) {
    return NumberForm::none;
  }
  if (magnitude.size() > 1 && magnitude[0] == '0' && is_digit(magnitude[1])) {
    return NumberForm::padded;
  }
  if (!is_integer) {
    return NumberForm::real;
  }
  return is_large ? NumberForm::large_integer : NumberForm::integer;
}

void LabelKindFinder::add(NumberForm form) {
  const bool is_integer = form == NumberForm::integer || form == NumberForm::large_integer;
  only_numbers_ = only_numbers_ && (is_integer || form == NumberForm::real);
  only_integers_ = only_integers_ && is_integer;
  has_large_ = has_large_ || form == NumberForm::large_integer;
}

LabelKind LabelKindFinder::kind() const {
  if (!only_numbers_) {
    return LabelKind::text;
  }
  return only_integers_ ? LabelKind::integer : has_large_ ? LabelKind::text : LabelKind::real;
}

LabelKind label_kind_of(std::span<const std::string> texts) {
  LabelKindFinder finder;
  for (const std::string& text : texts) {
    finder.add(number_form(text));
  }
  return finder.kind();
}

std::string label_text(std::string_view text, LabelKind kind) {
  switch (kind) {
    case LabelKind::integer:
      return integer_text(text);
    case LabelKind::real:
      return real_text(text);
    case LabelKind::boolean:
      return boolean_text(text);
    case LabelKind::text:
      break;
  }
  return std::string(text);
}

bool label_less(std::string_view a, std::string_view b, LabelKind kind) {
  if (kind == LabelKind::integer) {
    return integer_less(a, b);
  }
  if (kind == LabelKind::real) {
    return parse_double(a).value_or(0) < parse_double(b).value_or(0);
  }
  return a < b;
}

}  // namespace mercer
