// Arc-cosine kernels of order 0, 1, 2: (1/π) ‖x‖ⁿ‖x'‖ⁿ J_n(θ), θ the angle between the vectors; 0 for a zero vector.
//
//   J_0 = π − θ     J_1 = sin θ + (π−θ) cos θ     J_2 = 3 sin θ cos θ + (π−θ)(1 + 2 cos² θ)
//
// As functions of c = cos θ, dJ_1/dc = J_0, dJ_2/dc = 4 J_1. Cho & Saul, "Kernel methods for deep learning", 2009.
// Near θ = 0 an error δ of the cosine is one of √(2δ) in θ: order 0 is then exact to 1e-8 only (3e-4 in single
// precision).
#pragma once

#include "mercer/kernels/dot/angular_node.h"

namespace mercer {

const KernelEntry& arccos_entry();

}  // namespace mercer
