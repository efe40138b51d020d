// transform(k, …): k(Ax, Ay) with a fixed matrix A. Specs M1, M20.
//
//   matrix=[…], rows=r   A itself, r rows, listed row by row
//   covariance=[…]       A = L⁻¹ of Σ = LLᵀ: a radial k then measures (x−y)ᵀΣ⁻¹(x−y)
//   metric=[…]           A = Lᵀ of M = LLᵀ (semidefinite is enough): linear() then is xᵀMy
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& transform_entry();

}  // namespace mercer
