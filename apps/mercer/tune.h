// mercer tune: looks for the options and kernel parameters that predict held-out rows best, and fits the winner.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_tune(CLI::App& command);

}  // namespace mercer::program
