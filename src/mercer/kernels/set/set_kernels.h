// The registry's list of kernels on sets and on bags of vectors.
#pragma once

#include <vector>

namespace mercer {

struct KernelEntry;
std::vector<const KernelEntry*> set_kernels();

}  // namespace mercer
