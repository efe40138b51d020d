// mercer test: are two samples from one distribution, are columns independent of others?
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_test(CLI::App& command);

}  // namespace mercer::program
