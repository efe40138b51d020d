// mercer path: the solutions of a model for every amount of regularization at once, as a table.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_path(CLI::App& command);

}  // namespace mercer::program
