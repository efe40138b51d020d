// Generalized histogram intersection:
//
//   k(x, y) = Σ_c min(|x_c|^β, |y_c|^β),   β > 0
//
// Positive definite for every β and on all vectors; β = 1 on histograms is `intersection`. Small β lets the small
// entries speak. Reference: Boughorbel, Tarel & Boujemaa (2005).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& generalized_intersection_entry();

}  // namespace mercer
