// mercer fit: data and a model's name in, a model file out.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_fit(CLI::App& command);

}  // namespace mercer::program
