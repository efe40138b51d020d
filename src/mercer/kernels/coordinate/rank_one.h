// Rank-one kernel f(x) f(y): the feature space is the line of f. Spec K27.
//   function=coordinate  f(x) = x_column      function=norm  f(x) = ‖x‖      function=linear  f(x) = Σ_c weights_c x_c
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& rank_one_entry();

}  // namespace mercer
