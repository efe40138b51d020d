// mercer weights: what a linear model looks at. Its features by weight, and where along a sequence they stand.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_weights(CLI::App& command);

}  // namespace mercer::program
