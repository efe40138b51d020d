// A translation-invariant kernel on one column from its spectral density v(ω) ≥ 0 (Bochner's theorem; Schölkopf & Smola
// (2002), eq. 4.29, and 4.23 for a discrete spectrum):
//
//   k(x, y) = (2π)^(−1/2) ∫ v(ω) cos(ω(x − y)) dω,   v even
//
// The integral is the trapezoidal rule on 0, Δ, 2Δ, …, cutoff, so the kernel is a sum of cosines with non-negative
// weights: positive definite whatever the error of the rule, and an ordinary `spectral_mixture`, which prints, parses and
// is stored in model files.
#pragma once

#include <functional>

#include "mercer/kernels/kernel.h"

namespace mercer {

/// `density` is evaluated at `points` + 1 frequencies from 0 to `cutoff`, beyond which it should be negligible. The kernel
/// repeats with period 2π·points/cutoff: differences should stay below half of that. Throws InvalidArgument where the
/// density is negative or not finite, or vanishes everywhere.
Kernel from_spectrum(const std::function<double(double frequency)>& density, double cutoff, int points);

}  // namespace mercer
