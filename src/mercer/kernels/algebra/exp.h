// exp(k): positive where k is positive or conditionally positive of order 1; all of its roots are then positive too.
// Spec C6; exp(t·k) is written exp(t*k).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& exp_entry();

}  // namespace mercer
