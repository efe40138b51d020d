#include "mercer/kernels/string/alignment_kernels.h"

namespace mercer {

std::vector<const KernelEntry*> alignment_kernels() { return {}; }

}  // namespace mercer
