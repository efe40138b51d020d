#include "mercer/models/option_table.h"

namespace mercer::detail {

namespace {

bool satisfies(double value, Constraint constraint) {
  switch (constraint) {
    case Constraint::any:
      return true;
    case Constraint::positive:
      return value > 0;
    case Constraint::nonnegative:
      return value >= 0;
    case Constraint::positive_integer:
      return value >= 1 && value == std::floor(value);
    case Constraint::nonnegative_integer:
      return value >= 0 && value == std::floor(value);
  }
  return true;
}

std::string_view allowed_text(Constraint constraint) {
  switch (constraint) {
    case Constraint::any:
      break;
    case Constraint::positive:
      return "a number above 0";
    case Constraint::nonnegative:
      return "a number that is 0 or more";
    case Constraint::positive_integer:
      return "a whole number above 0";
    case Constraint::nonnegative_integer:
      return "a whole number that is 0 or more";
  }
  return "a finite number";
}

std::string_view allowed_integer_text(Constraint constraint) {
  switch (constraint) {
    case Constraint::any:
      break;
    case Constraint::positive:
    case Constraint::positive_integer:
      return allowed_text(Constraint::positive_integer);
    case Constraint::nonnegative:
    case Constraint::nonnegative_integer:
      return allowed_text(Constraint::nonnegative_integer);
  }
  return "a whole number";
}

// 5, and 5.0 and 1e3 as programs write them.
std::optional<Index> parse_whole_number(std::string_view text) {
  if (const auto integer = parse_integer(text)) {
    return *integer;
  }
  constexpr double first_merged = 9007199254740992.0;  // 2⁵³
  const auto value = parse_double(text);
  const bool is_whole = value && std::floor(*value) == *value && std::abs(*value) < first_merged;
  return is_whole ? std::optional(static_cast<Index>(*value)) : std::nullopt;
}

}  // namespace

void reject_option(std::string_view model, std::string_view option, std::string_view value, std::string_view allowed) {
  reject_argument(std::string(model) + ": " + std::string(option), value, allowed);
}

void reject_unknown_option(std::string_view model, std::string_view name, std::span<const std::string> known) {
  throw InvalidArgument(std::string(model) + " has no option '" + std::string(name) + "'." + did_you_mean(name, known) +
                        " Its options are " + join(known, ", ") + ".");
}

double parse_number_option(std::string_view model, std::string_view option, std::string_view text,
                           Constraint constraint) {
  const auto value = parse_double(trim(text));
  if (!value || !std::isfinite(*value) || !satisfies(*value, constraint)) {
    reject_option(model, option, text, allowed_text(constraint));
  }
  return *value;
}

Index parse_integer_option(std::string_view model, std::string_view option, std::string_view text,
                           Constraint constraint) {
  const auto value = parse_whole_number(trim(text));
  if (!value || !satisfies(static_cast<double>(*value), constraint)) {
    reject_option(model, option, text, allowed_integer_text(constraint));
  }
  return *value;
}

bool parse_switch_option(std::string_view model, std::string_view option, std::string_view text) {
  const std::string word = lower_case(trim(text));
  if (word == "yes" || word == "true" || word == "on" || word == "1") {
    return true;
  }
  if (word == "no" || word == "false" || word == "off" || word == "0") {
    return false;
  }
  reject_option(model, option, text, "yes or no");
}

std::string parse_word_option(std::string_view model, std::string_view option, std::string_view text,
                              std::span<const std::string> words) {
  if (words.empty() || std::find(words.begin(), words.end(), text) != words.end()) {
    return std::string(text);
  }
  reject_option(model, option, text, "one of " + join(words, ", ") + "." + did_you_mean(text, words));
}

}  // namespace mercer::detail
