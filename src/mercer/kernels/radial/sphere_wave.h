// The mean of cos(z·e₁) over the unit vectors e of N dimensions, the plane wave of a radial kernel:
//
//   Λ_N(z) = Γ(N/2) (2/z)^ν J_ν(z),   ν = N/2 − 1;     Λ_1 = cos z,  Λ_2 = J_0(z),  Λ_3 = sin z / z
//   dΛ_N/dz = −(z/N) Λ_{N+2}(z)
//
// Every radial positive definite function in N dimensions is a mixture of Λ_N(ωr) with weights ≥ 0 over ω (Schoenberg).
#pragma once

#include "mercer/base/index.h"

namespace mercer {

/// dimension ≥ 1, z ≥ 0; absolute error below 1e-14 (plus 1e-16·z, what the argument of a cosine loses); 0 for z = ∞.
/// Cost: 20-100 ns and a few ns per dimension.
double sphere_wave(Index dimension, double z);

}  // namespace mercer
