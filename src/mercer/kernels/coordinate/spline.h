// Linear spline with infinitely many knots, x ≥ 0: Π_c (1 + xy + ∫_0^min (x−t)(y−t) dt)
// = Π_c (1 + xy + min²|x−y|/2 + min³/3). Spec 13-L; Vapnik (1998).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& spline_entry();

}  // namespace mercer
