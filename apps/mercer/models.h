// mercer models: the registry of models, as a list or one by one with its options.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_models(CLI::App& command);

}  // namespace mercer::program
