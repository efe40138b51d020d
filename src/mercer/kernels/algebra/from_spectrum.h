// Translation-invariant kernels from their spectrum (Schölkopf & Smola (2002), sections 4.3 and 4.4):
//
//   density on the line   k(x, y) = (2π)^(−1/2) ∫ v(ω) cos(ω(x − y)) dω                       Bochner, eq. 4.29
//   radial density in ℝᴺ  k(x, y) = (2π)^(−N/2) ∫ v(|ω|) cos(ω·(x − y)) dω = r^(−ν) H_ν[ω^ν v](r),  ν = N/2 − 1
//                                                                                             Hankel, eq. 4.52-4.54
//   any density in ℝᴺ     k(x, y) = (2π)^(−N/2) ∫ v(ω) cos(ω·(x − y)) dω                      eq. 4.29
//   discrete spectrum     k(x, y) = Σ_n ψ_n(x) ψ_n(y) / λ_n                                   eq. 4.23
//
// The integrals are quadrature rules of positive weights, so the kernels are positive definite whatever the error of the
// rule. The first two are ordinary kernels, `spectral_mixture` and `radial_spectrum`, which print, parse and are stored in
// model files; the others are kernels of user code (custom.h). Specs C11, C12, C13.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mercer/kernels/kernel.h"

namespace mercer {

/// For one column, v even. `density` is evaluated at `points` + 1 frequencies from 0 to `cutoff`, beyond which it should
/// be negligible (trapezoidal rule). The kernel repeats with period 2π·points/cutoff: differences should stay below half
/// of that. Throws InvalidArgument where the density is negative or not finite, or vanishes everywhere.
Kernel from_spectrum(const std::function<double(double frequency)>& density, double cutoff, int points);

/// For `dimension` columns or fewer, v a function of |ω|, evaluated at `points` frequencies between 0 and `cutoff`
/// (panels of Gauss's rule, at most 16 points each). Right for distances up to points/cutoff, about, if v is smooth; a
/// value of the kernel costs `points` Bessel functions. Throws as above.
Kernel from_radial_spectrum(const std::function<double(double frequency)>& density, double cutoff, int points,
                            Index dimension);

/// For as many columns as `cutoffs`, v(ω) = v(−ω) (of another, the mean of both counts), evaluated at the
/// (2·points + 1)^N frequencies of a grid that spans −cutoff … cutoff on every axis (trapezoidal rule). Along a column the kernel repeats with period
/// 2π·points/cutoff. Memory and cost of a value: two features per frequency, at most a million. Throws as above.
Kernel from_spectrum(const std::string& name, const std::function<double(std::span<const double> frequency)>& density,
                     const std::vector<double>& cutoffs, int points);

using Eigenfunction = std::function<double(std::span<const double> x)>;

/// Σ_n ψ_n(x) ψ_n(y) / λ_n over functions ψ_n, λ_n > 0 the eigenvalues of the regulariser: large ones are smoothed away,
/// infinite ones are left out. Throws InvalidArgument unless there is one positive eigenvalue for each function.
Kernel from_eigenfunctions(const std::string& name, std::vector<Eigenfunction> functions,
                           const std::vector<double>& eigenvalues);

}  // namespace mercer
