// Periodic kernel exp(−2 Σ_c sin²(π(x_c−y_c)/p)/ℓ²), coordinate by coordinate (a Euclidean distance inside the sine
// would be indefinite in several dimensions), and locally periodic functions: the same times exp(−γ‖x−y‖²).
// Reference: MacKay (1998), Introduction to Gaussian processes.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& periodic_entry();
const KernelEntry& locally_periodic_entry();

}  // namespace mercer
