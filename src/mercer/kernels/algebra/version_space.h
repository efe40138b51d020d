// The version-space kernel of a kernel k: the share of all hyperplanes through the origin of its feature space on which two
// samples lie on the same side, less the share of the others,
//
//   E_w[sgn⟨w, Φ(x)⟩ sgn⟨w, Φ(y)⟩] = 1 − 2θ/π = (2/π) asin c,   c = k(x, y)/√(k(x, x) k(y, y)) = cos θ
//
// for w uniform on the sphere. Positive where k is: the series of the arcsine has no negative coefficient. A sample with
// k(x, x) = 0 is on no side: its values are 0. Schölkopf & Smola (2002), problems 7.21 and 7.22. Near θ = 0 a rounding ε of c
// is one of √(2ε) in the angle; angles below that count as 0.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& version_space_entry();

}  // namespace mercer
