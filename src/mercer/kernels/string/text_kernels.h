// The registry's list of kernels on texts: words and their weights.
#pragma once

#include <vector>

namespace mercer {

struct KernelEntry;
std::vector<const KernelEntry*> text_kernels();

}  // namespace mercer
