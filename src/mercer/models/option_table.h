// Options of models: plain aggregates with defaults, and one table that describes them. The table feeds `--set
// name=value`, `--help`, the listing of models, the Python signatures and the docs; nothing is said twice.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mercer/kernels/parameter.h"

namespace mercer {

/// One option of `Options`, by pointer to member. A `word` option is a std::string that takes one of `words`.
template <class Options>
struct Option {
  std::string name;
  std::variant<double Options::*, std::optional<double> Options::*, Index Options::*, bool Options::*,
               std::string Options::*>
      member;
  std::string meaning;
  Constraint constraint = Constraint::any;  ///< of numbers
  std::vector<std::string> words = {};
};

/// The same, without the type: what listings print.
struct OptionDescription {
  std::string name;
  std::string type;  ///< "number", "integer", "yes/no", "a | b | c", "text"
  std::string default_value;
  std::string meaning;
};

/// A value as text, as it stands in `--set` and in a model file.
struct OptionSetting {
  std::string name;
  std::string value;
};

/// Reads the settings into the options; unknown names suggest the nearest, values are checked against the table.
template <class Options>
void apply_settings(std::string_view model, std::span<const Option<Options>> table,
                    std::span<const OptionSetting> settings, Options& options);

/// Every option as text (shortest round-trip numbers; unset optional ones are left out).
template <class Options>
std::vector<OptionSetting> settings_of(std::span<const Option<Options>> table, const Options& options);

template <class Options>
std::vector<OptionDescription> describe(std::span<const Option<Options>> table);

}  // namespace mercer

#include "mercer/models/option_table_impl.h"
