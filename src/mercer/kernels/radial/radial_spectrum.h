// A radial kernel by its spectrum: waves of frequency ω_q in all directions of N dimensions, with weights w_q ≥ 0,
//
//   k(x, x') = Σ_q w_q Λ_N(ω_q r/ℓ),   Λ_N the mean of a plane wave over the sphere (sphere_wave.h)
//
// Positive definite in up to N dimensions, whatever the weights and frequencies. It is what from_spectrum makes of a
// density in several dimensions: the Hankel transform by quadrature (Schölkopf & Smola (2002), eq. 4.52-4.54). Spec C13.
// Cost of a value: one Bessel function per frequency.
#pragma once

#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

const KernelEntry& radial_spectrum_entry();

}  // namespace mercer
