// How an iterative solver ended.
#pragma once

#include <string_view>

#include "mercer/base/words.h"

namespace mercer {

enum class SolveStatus {
  converged,        ///< the tolerance was met
  iteration_limit,  ///< the allowed iterations ran out first
  stopped,          ///< the run's stop token was set
  stalled,          ///< rounding or a matrix that is not positive allows no further progress
};
constexpr auto words_of(SolveStatus) {
  return std::array{Word{SolveStatus::converged, "converged"}, Word{SolveStatus::iteration_limit, "iteration_limit"},
                    Word{SolveStatus::stopped, "stopped"}, Word{SolveStatus::stalled, "stalled"}};
}

/// Whether the solver was interrupted on its way: `stalled` is as far as rounding lets it go.
constexpr bool ended_early(SolveStatus status) {
  return status == SolveStatus::iteration_limit || status == SolveStatus::stopped;
}

constexpr std::string_view to_string(SolveStatus status) { return word_of(status); }

}  // namespace mercer
