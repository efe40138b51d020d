// The registry's list of string kernels with explicit substring features.
#pragma once

#include <vector>

namespace mercer {

struct KernelEntry;
std::vector<const KernelEntry*> substring_kernels();

}  // namespace mercer
