// Overlap of two sets in proportion to their mean size, the Dice (Sørensen, F1) coefficient,
//
//   k(A, B) = 2|A∩B| / (|A| + |B|)
//
// and 2xᵀy/(‖x‖² + ‖y‖²) for real vectors, which is the same for indicator vectors. Positive: xᵀy times the kernel
// 1/(a+b) = ∫ e^(−ta) e^(−tb) dt. Two empty sets (zero vectors) are equal and have the value 1; an empty one and another
// have 0.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& dice_entry();

}  // namespace mercer
