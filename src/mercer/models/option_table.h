// Options of models: plain aggregates with defaults, and one table that describes them. The table feeds `--set
// name=value`, `--help`, the listing of models, the Python signatures, the docs, tuning and the checks of validate();
// nothing is said twice.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/models/option_value.h"
#include "mercer/models/setting.h"

namespace mercer {

/// absolute: as written. target_deviations: multiples of the standard deviation of the targets.
enum class RangeUnit { absolute, target_deviations };

/// What a search walks through where nothing is said of the option: "2^-5..2^15".
struct SearchRange {
  std::string range;
  RangeUnit unit = RangeUnit::absolute;
  std::string unless = {};      ///< options, blank-separated, that leave nothing to search here
  bool unless_per_row = false;  ///< and so does TrainingData::noise, which gives this quantity for every row
};

/// Types of options that make up for rare classes say so.
template <class Value>
std::vector<std::string> tried_when_unbalanced() {
  if constexpr (requires { Value::when_unbalanced(); }) {
    return Value::when_unbalanced();
  } else {
    return {};
  }
}

/// One option of `Options`, by pointer to member, whose type says how it is read and written (option_value.h).
template <class Options>
struct Option {
  std::string name;
  std::string meaning;
  Limits limits;  ///< of numbers
  OptionKind kind = OptionKind::text;
  std::string type;                ///< "number", "integer", "yes/no", "a | b | c", "text"
  std::vector<std::string> words;  ///< of an enum and of yes/no, else empty
  std::optional<SearchRange> search;
  std::vector<std::string> when_unbalanced =
      {};                     ///< what a search tries where some classes are rare; the default first
  bool may_be_unset = false;  ///< an optional number: settings leave it out where it has none
  bool is_earlier = false;    ///< read from settings of old files, and neither listed nor written
  std::function<std::string(const Options&)> text;
  std::function<void(std::string_view model, std::string_view text, Options&)> read;
  std::function<void(std::string_view model, const Options&)> check;

  template <class Value, class Owner>
    requires std::derived_from<Options, Owner>
  Option(std::string option_name, Value Owner::* member, std::string option_meaning, Limits option_limits = {},
         std::optional<SearchRange> range = {})
      : name(std::move(option_name)),
        meaning(std::move(option_meaning)),
        limits(option_limits),
        kind(OptionValue<Value>::kind),
        type(OptionValue<Value>::type()),
        words(OptionValue<Value>::words()),
        search(std::move(range)),
        when_unbalanced(tried_when_unbalanced<Value>()),
        may_be_unset(std::same_as<Value, std::optional<double>>),
        text([member](const Options& options) { return OptionValue<Value>::text(options.*member); }),
        read(
            [member, option_limits, option = name](std::string_view model, std::string_view written, Options& options) {
              options.*member = OptionValue<Value>::parse({model, option}, written, option_limits);
            }),
        check([member, option_limits, option = name](std::string_view model, const Options& options) {
          OptionValue<Value>::check({model, option}, options.*member, option_limits);
        }) {}

  /// Of an enum, where not all of its words are allowed.
  template <HasWords Enum, class Owner>
    requires std::derived_from<Options, Owner>
  Option(std::string option_name, Enum Owner::* member, std::string option_meaning, const std::vector<Enum>& allowed)
      : Option(std::move(option_name), member, std::move(option_meaning)) {
    words.clear();
    for (const Enum value : allowed) {
      words.emplace_back(word_of(value));
    }
    type = join(words, " | ");
    read = [member, allowed = words, option = name](std::string_view model, std::string_view written,
                                                    Options& options) {
      require_word({model, option}, written, allowed);
      options.*member = *find_word<Enum>(written);
    };
    check = [member, allowed = words, option = name](std::string_view model, const Options& options) {
      require_word({model, option}, word_of(options.*member), allowed);
    };
  }

  /// A yes/no that an older version had, by what it means now.
  static Option earlier(std::string option_name, std::function<void(bool, Options&)> meaning) {
    Option line;
    line.name = std::move(option_name);
    line.is_earlier = true;
    line.text = [](const Options&) { return std::string(); };
    line.read = [meaning = std::move(meaning), option = line.name](std::string_view model, std::string_view written,
                                                                   Options& options) {
      meaning(OptionValue<bool>::parse({model, option}, written, {}), options);
    };
    line.check = [](std::string_view, const Options&) {};
    return line;
  }

  /// The same line for options derived from these.
  template <class Base>
    requires(std::derived_from<Options, Base> && !std::same_as<Options, Base>)
  Option(const Option<Base>& line)  // NOLINT(google-explicit-constructor): a line serves all that have its member
      : name(line.name),
        meaning(line.meaning),
        limits(line.limits),
        kind(line.kind),
        type(line.type),
        words(line.words),
        search(line.search),
        when_unbalanced(line.when_unbalanced),
        may_be_unset(line.may_be_unset),
        is_earlier(line.is_earlier),
        text(line.text),
        read(line.read),
        check(line.check) {}

 private:
  Option() = default;
};

/// The same, without the type: what listings print, and what tuning draws from.
struct OptionDescription {
  std::string name;
  std::string type;
  std::string default_value;
  std::string meaning;
  OptionKind kind = OptionKind::text;
  Limits limits = {};
  std::vector<std::string> words = {};  ///< of words and yes/no
  std::optional<SearchRange> search = {};
  std::vector<std::string> when_unbalanced =
      {};  ///< what a search tries where some classes are rare; the default first
};

/// In place of the setting of that name, or after the others.
void set_option(std::vector<OptionSetting>& settings, std::string_view name, std::string value);

[[noreturn]] void reject_unknown_option(std::string_view model, std::string_view name,
                                        std::span<const std::string> known);

/// Reads the settings into the options; unknown names suggest the nearest, values are checked against the table.
template <class Options>
void apply_settings(std::string_view model, std::span<const Option<Options>> table,
                    std::span<const OptionSetting> settings, Options& options) {
  for (const OptionSetting& setting : settings) {
    const auto found = std::ranges::find(table, setting.name, &Option<Options>::name);
    if (found == table.end()) {
      std::vector<std::string> known;
      for (const Option<Options>& option : table) {
        if (!option.is_earlier) {
          known.push_back(option.name);
        }
      }
      reject_unknown_option(model, setting.name, known);
    }
    found->read(model, setting.value, options);
  }
}

/// Every option as text (shortest round-trip numbers; unset optional ones are left out).
template <class Options>
std::vector<OptionSetting> settings_of(std::span<const Option<Options>> table, const Options& options) {
  std::vector<OptionSetting> settings;
  for (const Option<Options>& option : table) {
    std::string text = option.text(options);
    if (!option.is_earlier && (!option.may_be_unset || !text.empty())) {
      settings.push_back({option.name, std::move(text)});
    }
  }
  return settings;
}

/// Whether a setting has a name that options had before.
template <class Options>
bool has_earlier_name(std::span<const Option<Options>> table, std::span<const OptionSetting> settings) {
  return std::ranges::any_of(table, [&](const Option<Options>& option) {
    return option.is_earlier && std::ranges::find(settings, option.name, &OptionSetting::name) != settings.end();
  });
}

/// Throws InvalidArgument for the first value that the table does not allow, as apply_settings() does.
template <class Options>
void check_options(std::string_view model, std::span<const Option<Options>> table, const Options& options) {
  for (const Option<Options>& option : table) {
    option.check(model, options);
  }
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
    if (option.is_earlier) {
      continue;
    }
    rows.push_back({.name = option.name,
                    .type = option.type,
                    .default_value = option.text(defaults),
                    .meaning = option.meaning,
                    .kind = option.kind,
                    .limits = option.limits,
                    .words = option.words,
                    .search = option.search,
                    .when_unbalanced = option.when_unbalanced});
  }
  return rows;
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace mercer
