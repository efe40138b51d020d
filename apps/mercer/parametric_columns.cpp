#include "parametric_columns.h"

#include <algorithm>

#include "mercer/expansion/parametric_columns.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

constexpr const char* option_name = "parametric";

ParametricPart part_of(const std::vector<OptionSetting>& settings) {
  const auto found = std::ranges::find(settings, option_name, &OptionSetting::name);
  return found == settings.end() ? ParametricPart()
                                 : reading("--set parametric", [&] { return ParametricPart::parse(found->value); });
}

}  // namespace

Kernel seeing_functions(const Kernel& kernel, const std::vector<OptionSetting>& settings) {
  return mercer::seeing_functions(kernel, part_of(settings));
}

void name_parametric_columns(std::vector<OptionSetting>& settings, const std::vector<std::string>& columns,
                             const std::vector<std::string>& inputs) {
  const ParametricPart part = part_of(settings);
  if (part.uses_columns()) {
    set_option(settings, option_name, with_named_columns(part, columns, inputs).text());
  }
}

bool has_periods(const std::vector<OptionSetting>& settings) {
  const ParametricPart part = part_of(settings);
  return std::ranges::any_of(part.terms(),
                             [](const ParametricTerm& term) { return term.shape == ParametricShape::periodic; });
}

}  // namespace mercer::program
