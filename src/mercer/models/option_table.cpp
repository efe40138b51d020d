#include "mercer/models/option_table.h"

#include "mercer/base/error.h"

namespace mercer {

void reject_unknown_option(std::string_view model, std::string_view name, std::span<const std::string> known) {
  throw InvalidArgument(std::string(model) + " has no option '" + std::string(name) + "'." + did_you_mean(name, known) +
                        " Its options are " + join(known, ", ") + ".");
}

}  // namespace mercer
