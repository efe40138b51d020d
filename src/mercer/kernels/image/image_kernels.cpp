#include "mercer/kernels/image/image_kernels.h"

namespace mercer {

std::vector<const KernelEntry*> image_kernels() { return {}; }

}  // namespace mercer
