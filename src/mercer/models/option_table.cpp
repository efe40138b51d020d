#include "mercer/models/option_table.h"

#include "mercer/base/error.h"

namespace mercer {

void set_option(std::vector<OptionSetting>& settings, std::string_view name, std::string value) {
  const auto at = std::ranges::find(settings, name, &OptionSetting::name);
  if (at == settings.end()) {
    settings.push_back({std::string(name), std::move(value)});
  } else {
    at->value = std::move(value);
  }
}

void reject_unknown_option(std::string_view model, std::string_view name, std::span<const std::string> known) {
  throw InvalidArgument(std::string(model) + " has no option '" + std::string(name) + "'." + did_you_mean(name, known) +
                        " Its options are " + join(known, ", ") + ".");
}

}  // namespace mercer
