// A kernel wound around a circle: Π_c Σ_{n∈ℤ} g(x_c − y_c + n·period), g = exp(−t²/(2ℓ²)) or exp(−|t|/ℓ). Spec K16,
// trap 17: the Laplacian has the closed form (e^{−u} + e^{u−a})/(1 − e^{−a}), u = |t| mod period over ℓ, a = period/ℓ;
// the Gaussian is summed where ℓ ≤ period and otherwise by its Fourier series (Poisson's formula), 20 terms at most.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& periodized_entry();

}  // namespace mercer
