// The registry's list of string kernels that compare two strings place by place or by alignment.
#pragma once

#include <vector>

namespace mercer {

struct KernelEntry;
std::vector<const KernelEntry*> alignment_kernels();

}  // namespace mercer
