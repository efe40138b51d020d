#include "mercer/kernels/image/image_kernels.h"

#include "mercer/kernels/image/generalized_intersection.h"
#include "mercer/kernels/image/hellinger.h"
#include "mercer/kernels/image/jensen_shannon.h"
#include "mercer/kernels/image/local_image.h"

namespace mercer {

std::vector<const KernelEntry*> image_kernels() {
  return {&local_image_entry(), &hellinger_entry(), &jensen_shannon_entry(), &generalized_intersection_entry()};
}

}  // namespace mercer
