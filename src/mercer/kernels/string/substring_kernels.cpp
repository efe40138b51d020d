#include "mercer/kernels/string/substring_kernels.h"

#include "mercer/kernels/string/spectrum.h"

namespace mercer {

std::vector<const KernelEntry*> substring_kernels() { return {&spectrum_entry()}; }

}  // namespace mercer
