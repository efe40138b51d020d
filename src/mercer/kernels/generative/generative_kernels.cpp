#include "mercer/kernels/generative/generative_kernels.h"

namespace mercer {

std::vector<const KernelEntry*> generative_kernels() { return {}; }

}  // namespace mercer
