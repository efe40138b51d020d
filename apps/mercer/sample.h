// mercer sample: new rows from a model of density.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_sample(CLI::App& command);

}  // namespace mercer::program
