// mercer inspect: what a saved model is, and, with its training data, what it says of its own test error without being
// fitted again.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_inspect(CLI::App& command);

}  // namespace mercer::program
