// A kernel on the cyclic group of n elements, 0 … n−1 around a circle (days of the week, hours, steps of a code wheel):
//
//   k(x, y) = h((x − y) mod n),   h(j) = h(n − j),
//
// over several columns the product, a kernel on the product of the groups. Positive definite exactly where no coefficient
// Σ_j h(j) cos(2πjm/n) of the finite Fourier transform of h is negative (Bochner's theorem on this group). Inputs are whole
// numbers; n is the number of values. Reference: Schölkopf & Smola (2002), Learning with Kernels, problems 13.11 and 13.12.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& cyclic_entry();

}  // namespace mercer
