#include "mercer/models/parametric_option.h"

#include "mercer/base/error.h"

namespace mercer {

ParametricPart OptionValue<ParametricPart>::parse(OptionName name, std::string_view text, const Limits& /*limits*/) {
  try {
    return ParametricPart::parse(text);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(name.model) + ": " + std::string(name.option) + ": " + error.what());
  }
}

}  // namespace mercer
