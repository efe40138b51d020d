#include "parametric_columns.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "mercer/expansion/parametric_columns.h"
#include "mercer/models/svm/tube_shape.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

// Of svr and others functions beside the kernel, of nusvr those of its tube.
constexpr std::array option_names = {"parametric", "tube"};

ParametricPart part_of(const std::vector<OptionSetting>& settings, const char* option) {
  const auto found = std::ranges::find(settings, option, &OptionSetting::name);
  return found == settings.end()
             ? ParametricPart()
             : reading(std::string("--set ") + option, [&] { return ParametricPart::parse(found->value); });
}

}  // namespace

Kernel seeing_functions(const Kernel& kernel, const std::vector<OptionSetting>& settings) {
  Kernel seeing = kernel;
  for (const char* option : option_names) {
    seeing = mercer::seeing_functions(seeing, part_of(settings, option));
  }
  return seeing;
}

void name_parametric_columns(std::vector<OptionSetting>& settings, const std::vector<std::string>& columns,
                             const std::vector<std::string>& inputs, const std::vector<std::string>& targets) {
  for (const char* option : option_names) {
    const ParametricPart part = part_of(settings, option);
    if (part.uses_columns()) {
      const std::string text = with_named_columns(part, columns, inputs, targets).text();
      const auto found = std::ranges::find(settings, option, &OptionSetting::name);
      const bool has_constant =
          std::string_view(option) == "tube" && TubeShape::parse({"nusvr", option}, found->value).has_constant();
      set_option(settings, option, has_constant ? "constant + " + text : text);
    }
  }
}

bool need_units(const std::vector<OptionSetting>& settings) {
  const ParametricPart part = part_of(settings, "parametric");
  return part_of(settings, "tube").uses_columns() || std::ranges::any_of(part.terms(), [](const ParametricTerm& term) {
           return term.shape == ParametricShape::periodic;
         });
}

}  // namespace mercer::program
