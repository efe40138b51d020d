// mercer score: how good the predictions of a model are on data whose targets are known.
#pragma once

#include "subcommand.h"

namespace mercer::program {

Action add_score(CLI::App& command);

}  // namespace mercer::program
