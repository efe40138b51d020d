// Templates of models/option_table.h.
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace detail {

[[noreturn]] void reject_option(std::string_view model, std::string_view option, std::string_view value,
                                std::string_view allowed);
[[noreturn]] void reject_unknown_option(std::string_view model, std::string_view name,
                                        std::span<const std::string> known);
double parse_number_option(std::string_view model, std::string_view option, std::string_view text,
                           Constraint constraint);
Index parse_integer_option(std::string_view model, std::string_view option, std::string_view text,
                           Constraint constraint);
bool parse_switch_option(std::string_view model, std::string_view option, std::string_view text);
std::string parse_word_option(std::string_view model, std::string_view option, std::string_view text,
                              std::span<const std::string> words);

inline std::string option_text(double value) { return shortest(value); }
inline std::string option_text(const std::optional<double>& value) { return value ? shortest(*value) : std::string(); }
inline std::string option_text(Index value) { return std::to_string(value); }
inline std::string option_text(bool value) { return value ? "yes" : "no"; }
inline std::string option_text(const std::string& value) { return value; }

template <class Options>
std::string value_text(const Option<Options>& option, const Options& options) {
  return std::visit([&](auto member) { return option_text(options.*member); }, option.member);
}

template <class Options>
void assign(std::string_view model, const Option<Options>& option, std::string_view text, Options& options) {
  std::visit(
      [&](auto member) {
        using Value = std::decay_t<decltype(options.*member)>;
        if constexpr (std::is_same_v<Value, bool>) {
          options.*member = parse_switch_option(model, option.name, text);
        } else if constexpr (std::is_same_v<Value, Index>) {
          options.*member = parse_integer_option(model, option.name, text, option.constraint);
        } else if constexpr (std::is_same_v<Value, std::string>) {
          options.*member = parse_word_option(model, option.name, text, option.words);
        } else {
          options.*member = parse_number_option(model, option.name, text, option.constraint);
        }
      },
      option.member);
}

template <class Options>
std::string type_text(const Option<Options>& option) {
  if (!option.words.empty()) {
    return join(option.words, " | ");
  }
  return std::visit(
      [](auto member) -> std::string {
        using Value = std::decay_t<decltype(std::declval<Options>().*member)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return "yes/no";
        } else if constexpr (std::is_same_v<Value, Index>) {
          return "integer";
        } else if constexpr (std::is_same_v<Value, std::string>) {
          return "text";
        } else {
          return "number";
        }
      },
      option.member);
}

}  // namespace detail

template <class Options>
void apply_settings(std::string_view model, std::span<const Option<Options>> table,
                    std::span<const OptionSetting> settings, Options& options) {
  for (const OptionSetting& setting : settings) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Option<Options>& option) { return option.name == setting.name; });
    if (found == table.end()) {
      std::vector<std::string> known;
      std::transform(table.begin(), table.end(), std::back_inserter(known),
                     [](const Option<Options>& option) { return option.name; });
      detail::reject_unknown_option(model, setting.name, known);
    }
    detail::assign(model, *found, setting.value, options);
  }
}

template <class Options>
std::vector<OptionSetting> settings_of(std::span<const Option<Options>> table, const Options& options) {
  std::vector<OptionSetting> settings;
  for (const Option<Options>& option : table) {
    std::string text = detail::value_text(option, options);
    const bool unset = std::holds_alternative<std::optional<double> Options::*>(option.member) && text.empty();
    if (!unset) {
      settings.push_back({option.name, std::move(text)});
    }
  }
  return settings;
}

// GCC 12 thinks that strings of base classes are left uninitialised by {}; clang does not know the warning.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
template <class Options>
std::vector<OptionDescription> describe(std::span<const Option<Options>> table) {
  std::vector<OptionDescription> rows;
  const Options defaults{};
  for (const Option<Options>& option : table) {
    rows.push_back({option.name, detail::type_text(option), detail::value_text(option, defaults), option.meaning});
  }
  return rows;
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace mercer
