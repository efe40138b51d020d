// Dirichlet kernel Π_c D_n(2π(x_c−y_c)/period), D_n(t) = 1 + 2 Σ_{j=1}^n cos jt = sin((n+½)t)/sin(t/2): all trigonometric
// polynomials of degree n, equally weighted (it overfits). Spec K14, trap 15.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& dirichlet_entry();

}  // namespace mercer
