#include "mercer/kernels/set/set_kernels.h"

namespace mercer {

std::vector<const KernelEntry*> set_kernels() { return {}; }

}  // namespace mercer
