#include "mercer/kernels/string/text_kernels.h"

namespace mercer {

std::vector<const KernelEntry*> text_kernels() { return {}; }

}  // namespace mercer
