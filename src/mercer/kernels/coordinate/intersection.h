// Histogram intersection Σ_c min(x_c, y_c), x ≥ 0. Reference: Barla, Odone & Verri (2003).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& intersection_entry();

}  // namespace mercer
