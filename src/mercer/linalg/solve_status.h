// How an iterative solver ended.
#pragma once

#include <string_view>

namespace mercer {

enum class SolveStatus {
  converged,        ///< the tolerance was met
  iteration_limit,  ///< the allowed iterations ran out first
  stopped,          ///< the run's stop token was set
  stalled,          ///< rounding or a matrix that is not positive allows no further progress
};

/// Whether the solver was interrupted on its way: `stalled` is as far as rounding lets it go.
constexpr bool ended_early(SolveStatus status) {
  return status == SolveStatus::iteration_limit || status == SolveStatus::stopped;
}

constexpr std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::stopped:
      return "stopped";
    case SolveStatus::stalled:
      return "stalled";
  }
  return "unknown";
}

}  // namespace mercer
