// Matérn kernel 2^(1−ν)/Γ(ν) z^ν K_ν(z), z = √(2ν) r/ℓ: functions with as many derivatives as are below ν. Closed forms
// for ν = 1/2, 3/2, 5/2; other ν by a table of the Bessel function K_ν; ν = ∞ is the Gaussian kernel. Spec M9, K20
// (a = √(2ν)/ℓ, μ = ν).
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& matern_entry();

}  // namespace mercer
