// The geometric random-walk kernel (Gärtner, Flach, Wrobel 2003; Vishwanathan, Schraudolph, Kondor, Borgwardt 2010):
// pairs of walks, one in each graph, that pass through equal labels, a pair of t steps with weight λ^t,
//
//   k(G, H) = Σ_t λ^t 1ᵀ W^t 1 = 1ᵀ (I − λ W)⁻¹ 1,   W = A_G ⊗ A_H on the pairs of vertices with equal labels
//
// λ is the option decay. walks=normalized weighs a step from u to v by 1/√(out-degree of u · in-degree of v): then
// every λ < 1 converges on every graph. walks=plain gives every step weight 1; λ must be below 1/(largest degree)². W
// is never formed: a product with it is A_G X A_Hᵀ, O(n_G m_H + n_H m_G), and the system is solved by conjugate
// gradients (by iteration where an edge has one direction), to a relative residual of 10⁻¹³.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& random_walk_entry();

}  // namespace mercer
