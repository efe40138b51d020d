#include "mercer/models/option_value.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

namespace {

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

void reject_option(OptionName name, std::string_view value, std::string_view allowed) {
  reject_argument(std::string(name.model) + ": " + std::string(name.option), value, allowed);
}

void reject_word(OptionName name, std::string_view text, const std::vector<std::string>& words) {
  reject_option(name, text, "one of " + join(words, ", ") + "." + did_you_mean(text, words));
}

void require_word(OptionName name, std::string_view text, const std::vector<std::string>& words) {
  if (std::ranges::find(words, text) == words.end()) {
    reject_word(name, text, words);
  }
}

double OptionValue<double>::parse(OptionName name, std::string_view text, const Limits& limits) {
  const auto value = parse_double(trim(text));
  if (!value || !limits.allow(*value)) {
    reject_option(name, text, limits.text());
  }
  return *value;
}

void OptionValue<double>::check(OptionName name, double value, const Limits& limits) {
  if (!limits.allow(value)) {
    reject_option(name, shortest(value), limits.text());
  }
}

Index OptionValue<Index>::parse(OptionName name, std::string_view text, const Limits& limits) {
  const auto value = parse_whole_number(trim(text));
  if (!value || !limits.allow(static_cast<double>(*value))) {
    reject_option(name, text, whole_numbers(limits).text());
  }
  return *value;
}

void OptionValue<Index>::check(OptionName name, Index value, const Limits& limits) {
  if (!limits.allow(static_cast<double>(value))) {
    reject_option(name, std::to_string(value), whole_numbers(limits).text());
  }
}

bool OptionValue<bool>::parse(OptionName name, std::string_view text, const Limits& /*limits*/) {
  const std::string word = lower_case(trim(text));
  if (word == "yes" || word == "true" || word == "on" || word == "1") {
    return true;
  }
  if (word == "no" || word == "false" || word == "off" || word == "0") {
    return false;
  }
  reject_option(name, text, "yes or no");
}

}  // namespace mercer
