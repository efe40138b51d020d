// mercer kernels: the registry of kernels, as a list or one by one.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_kernels(CLI::App& command);

}  // namespace mercer::program
