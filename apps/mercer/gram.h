// mercer gram: a kernel on data: the matrix itself, whether it is positive definite, its largest eigenvalues.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_gram(CLI::App& command);

}  // namespace mercer::program
