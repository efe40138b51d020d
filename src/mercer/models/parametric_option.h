// The option `parametric` of models with a parametric part beside the kernel: the text of a ParametricPart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/expansion/parametric_part.h"
#include "mercer/models/option_value.h"

namespace mercer {

template <>
struct OptionValue<ParametricPart> {
  static constexpr OptionKind kind = OptionKind::text;
  static std::string type() { return "text"; }
  static std::vector<std::string> words() { return {}; }
  static std::string text(const ParametricPart& value) { return value.text(); }
  /// InvalidArgument that names the option, points at the character and says what was expected.
  static ParametricPart parse(OptionName name, std::string_view text, const Limits& limits);
  static void check(OptionName /*name*/, const ParametricPart& /*value*/, const Limits& /*limits*/) {}
};

/// What the table says of it, after what the model does with the constant.
inline constexpr const char* parametric_meaning =
    "functions beside the kernel that are not penalised: none, constant, linear, quadratic, periodic(period=P), any on "
    "some columns (linear[age, dose]), or a sum";

}  // namespace mercer
