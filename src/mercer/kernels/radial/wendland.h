// Wendland's compactly supported kernels: polynomials in s = r/ℓ that are zero from s = 1 on, 2k times differentiable
// at 0, of the least degree that is positive definite in N dimensions. With l = ⌊N/2⌋ + k + 1:
//
//   k = 0   (1−s)^l
//   k = 1   (1−s)^(l+1) ((l+1)s + 1)
//   k = 2   (1−s)^(l+2) ((l²+4l+3)s² + (3l+6)s + 3)/3
//   k = 3   (1−s)^(l+3) ((l³+9l²+23l+15)s³ + (6l²+36l+45)s² + (15l+45)s + 15)/15
//
// Wendland, "Piecewise polynomial, positive definite and compactly supported radial functions of minimal degree", 1995.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& wendland_entry();

}  // namespace mercer
