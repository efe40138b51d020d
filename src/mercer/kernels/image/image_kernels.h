// The registry's list of kernels on images.
#pragma once

#include <vector>

namespace mercer {

struct KernelEntry;
std::vector<const KernelEntry*> image_kernels();

}  // namespace mercer
