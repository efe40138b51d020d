// What −ln(1−k) and −(−k)^a share: both need k ≤ 0.
#pragma once

#include "mercer/kernels/kernel_node.h"

namespace mercer {

/// Throws InvalidArgument unless the node's child is known to have no positive value.
void require_nonpositive(const KernelNode& node);
/// Conditional of order 1 and ≤ 0 if the child is; otherwise nothing is known.
Definiteness definiteness_of_nonpositive_map(const Definiteness& child);

}  // namespace mercer
