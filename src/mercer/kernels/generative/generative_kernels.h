// The registry's list of kernels made of probability models.
#pragma once

#include <vector>

namespace mercer {

struct KernelEntry;
std::vector<const KernelEntry*> generative_kernels();

}  // namespace mercer
