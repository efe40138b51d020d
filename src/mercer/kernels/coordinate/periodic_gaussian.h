// Periodic Gaussian in Fourier form, Π_c Σ_{n=1}^N exp(−n²σ²/2) cos(n t_c), t_c = 2π(x_c−y_c)/period: the Gaussian's
// spectrum on the circle, with the constant left out. Spec K15, trap 15.
//
// rescale=unit brings every factor to the range [0, 1]: (g(t) − g(π))/(g(0) − g(π)); that adds a positive constant
// (g(π) < 0), so the kernel stays positive.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& periodic_gaussian_entry();

}  // namespace mercer
