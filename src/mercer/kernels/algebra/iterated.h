// The iterated kernel: k composed with itself over the training samples z,
//
//   K(x, y) = (1/n) Σ_j k(x, z_j) k(y, z_j),
//
// the inner product of the empirical maps x ↦ (k(x, z_j))_j. Positive definite for every symmetric k, indefinite ones and
// similarities of user code among them; on the training samples K = k²/n as matrices. (Schölkopf & Smola 2002, (13.8) with an
// integral in place of the sum; "empirical kernel map", section 2.2.6.) The maps are kept: samples × training samples numbers.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& iterated_entry();

}  // namespace mercer
