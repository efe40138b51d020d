// The diffusion kernel on the nodes of one graph (Kondor, Lafferty 2002): heat that starts at node x, after time β,
//
//   K = exp(−β L)
//
// See node_kernel.h for the samples. Parts of the graph that no path joins have kernel value 0.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& diffusion_entry();

}  // namespace mercer
