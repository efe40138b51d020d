// mercer losses: the list of losses with their formulas, or one with its numbers.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_losses(CLI::App& command);

}  // namespace mercer::program
