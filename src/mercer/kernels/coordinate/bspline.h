// B-spline kernel Π_c B_n((x_c−y_c)/ℓ): B_n is the (n+1)-fold convolution of the box on [−½, ½], so its support is
// [−(n+1)/2, (n+1)/2]. Positive for odd n only. Spec K7, trap 3 and 4 (the radial form is indefinite).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& bspline_entry();

}  // namespace mercer
