// Laplacian kernel exp(−γ‖x−y‖₁), the product over the coordinates of exp(−γ|x_c−y_c|). Spec K17. (The Euclidean
// exp(−‖x−y‖/ℓ) is `exponential`.)
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& laplacian_entry();

}  // namespace mercer
