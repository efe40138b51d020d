// Conformal transformation f(x) k(x, y) f(y): k seen through a weight of the points. Spec M20.
//   function=gaussian  f = exp(−c‖x‖²)     norm  f = ‖x‖     inverse_norm  f = 1/‖x‖, 0 at the origin
// Reference: Amari & Wu (1999).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& conformal_entry();

}  // namespace mercer
