// The working set of a decomposition solver: which variables are optimised next. Those that violate the KKT conditions
// most, from both ends of the gradient and of every group, and the free ones of the last set: without them the next
// step would push them off their margin, and they would have to come back.
#pragma once

#include <span>
#include <vector>

#include "mercer/solvers/svm/box_qp_state.h"

namespace mercer {

/// At most `size` variables, ascending. `retained` are free variables of the last set; at least half of the set is
/// left to violators. Ties go to the lower number.
std::vector<Index> choose_working_set(const BoxQpState& state, std::span<const Index> active_rows,
                                      const BoxQpState::Extremes& extremes, std::span<const Index> retained,
                                      Index size);

}  // namespace mercer
