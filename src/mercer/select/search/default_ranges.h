// Default ranges of widths, and the option that solutions of a model are followed along. Ranges of options stand in the
// tables of the models (models/option_table.h). C and gamma as Hsu, Chang & Lin (2003) advise for standardised data:
// C = 2^-5 … 2^15, gamma = 2^-15 … 2^3.
#pragma once

#include <string_view>

#include "mercer/models/model.h"

namespace mercer {

/// The range of a kernel's width by the name of its parameter; empty: none.
std::string_view default_width_range(std::string_view parameter);

/// The option along which solutions of a model are followed from value to value, the first with a range of its own; empty:
/// none.
std::string_view path_option(const ModelEntry& model);

}  // namespace mercer
