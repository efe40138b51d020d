// mercer predict: a model file and data in, predictions out.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_predict(CLI::App& command);

}  // namespace mercer::program
