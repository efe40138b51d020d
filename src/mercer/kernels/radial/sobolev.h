// Second-order Sobolev kernel on the line, e^(−√3|t|/2) (cos(t/2) + √3 sin(|t|/2)), t = (x−x')/ℓ: its spectrum is
// 1/(1 + ω² + ω⁴), so that its norm penalises a function, its slope and its curvature alike. Spec K21.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& sobolev_entry();

}  // namespace mercer
