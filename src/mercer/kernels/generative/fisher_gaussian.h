// Fisher kernels of Gaussians on vectors and on bags of vectors (whose scores add up).
//
//   fisher_gaussian            θ = (μ, σ) per column: k = Σ_d z z' + ½ (z² − 1)(z'² − 1), z = (x − μ)/σ (Schölkopf & Smola
//                              2002, 13.4); the plain kernel is Σ_d z z'/σ² + (z² − 1)(z'² − 1)/σ²
//   fisher_gaussian_mixture    the mixture's score, by default in the units of the complete data: the Fisher vector
//                              (Perronnin & Dance 2007)
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& fisher_gaussian_entry();
const KernelEntry& fisher_gaussian_mixture_entry();

}  // namespace mercer
