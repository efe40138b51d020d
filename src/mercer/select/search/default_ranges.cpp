#include "mercer/select/search/default_ranges.h"

namespace mercer {

std::string_view default_width_range(std::string_view parameter) {
  if (parameter == "gamma") {
    return "2^-15..2^3";
  }
  // gamma = 1/(2 lengthscale²): the same widths.
  return parameter == "lengthscale" ? "2^-2..2^7" : "";
}

std::string_view path_option(const ModelEntry& model) {
  for (const OptionDescription& option : model.options) {
    if (option.search) {
      return option.name;
    }
  }
  return "";
}

}  // namespace mercer
