#include "mercer/kernels/graph/graph_kernels.h"

namespace mercer {

std::vector<const KernelEntry*> graph_kernels() { return {}; }

}  // namespace mercer
