// The text form of parameter values, and how values are made.
#include <algorithm>
#include <cmath>

#include "mercer/base/text.h"
#include "mercer/kernels/parameter.h"

namespace mercer {

namespace {

std::string_view width_word(WidthRule rule) {
  switch (rule) {
    case WidthRule::scale:
      return "scale";
    case WidthRule::automatic:
      return "auto";
    case WidthRule::median:
      return "median";
    case WidthRule::per_column:
      return "ard";
    case WidthRule::none:
      break;
  }
  return "";
}

std::string word_text(std::string_view word) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto plain = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  if (!word.empty() && letter(word[0]) && std::all_of(word.begin(), word.end(), plain)) {
    return std::string(word);
  }
  std::string text = "\"";
  for (const char c : word) {
    text += c == '"' || c == '\\' ? "\\" : "";
    text += c;
  }
  return text + '"';
}

// "2^-15" where the number is a power of two; empty otherwise.
std::string power_of_two(double value) {
  int exponent = 0;
  return std::frexp(value, &exponent) == 0.5 ? "2^" + std::to_string(exponent - 1) : "";
}

// Search ranges are mostly written in powers of two, and so they are printed where that is the shorter form.
std::string range_text(const Interval& range) {
  const std::string lower = shortest(range.lower);
  const std::string upper = shortest(range.upper);
  const std::string lower_power = power_of_two(range.lower);
  const std::string upper_power = power_of_two(range.upper);
  if (!lower_power.empty() && !upper_power.empty() &&
      (lower_power.size() < lower.size() || upper_power.size() < upper.size())) {
    return lower_power + ".." + upper_power;
  }
  return lower + ".." + upper;
}

std::string plain_text(const ParameterValue& value) {
  if (value.search) {
    return range_text(*value.search);
  }
  if (value.width != WidthRule::none) {
    return std::string(width_word(value.width));
  }
  if (!value.is_list) {
    return value.numbers.empty() ? word_text(value.word) : shortest(value.numbers[0]);
  }
  std::vector<std::string> parts;
  for (const double number : value.numbers) {
    parts.push_back(shortest(number));
  }
  return "[" + join(parts, ", ") + "]";
}

}  // namespace

ParameterValue ParameterValue::number(double value) {
  ParameterValue result;
  result.numbers = {value};
  return result;
}

ParameterValue ParameterValue::list(std::vector<double> values) {
  ParameterValue result;
  result.numbers = std::move(values);
  result.is_list = true;
  return result;
}

ParameterValue ParameterValue::of_word(std::string word) {
  ParameterValue result;
  result.word = std::move(word);
  return result;
}

ParameterValue ParameterValue::of_width(WidthRule rule) {
  ParameterValue result;
  result.width = rule;
  return result;
}

std::optional<WidthRule> width_rule(std::string_view word) {
  for (const WidthRule rule : {WidthRule::scale, WidthRule::automatic, WidthRule::median, WidthRule::per_column}) {
    if (word == width_word(rule)) {
      return rule;
    }
  }
  return std::nullopt;
}

std::string to_string(const ParameterValue& value) {
  std::string text = plain_text(value) + (value.fixed ? "!" : "");
  if (value.bounds) {
    text += " in " + shortest(value.bounds->lower) + ".." + shortest(value.bounds->upper);
  }
  return text;
}

}  // namespace mercer
