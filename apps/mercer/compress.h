// mercer compress: a smaller model that predicts nearly the same.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_compress(CLI::App& command);

}  // namespace mercer::program
