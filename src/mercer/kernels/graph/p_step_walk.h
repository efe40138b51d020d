// The p-step random-walk kernel on the nodes of one graph (Smola, Kondor 2003),
//
//   K = (a I − L)^p,   a at least the largest eigenvalue of L (at most 2 for the normalised Laplacian)
//
// Nodes that are more than p edges apart have kernel value 0. See node_kernel.h for the samples.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& p_step_walk_entry();

}  // namespace mercer
