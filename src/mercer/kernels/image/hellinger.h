// Hellinger's kernel on histograms, also the Bhattacharyya coefficient:
//
//   k(x, y) = Σ_c √(x_c y_c),   x ≥ 0
//
// The features are √x_c; histograms that sum to 1 have k(x, x) = 1.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& hellinger_entry();

}  // namespace mercer
