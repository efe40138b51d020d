// The registry's list of kernels on trees, on graphs and on the nodes of one graph.
#pragma once

#include <vector>

namespace mercer {

struct KernelEntry;
std::vector<const KernelEntry*> graph_kernels();

}  // namespace mercer
