// Alignment of two Gram matrices (Schölkopf & Smola (2002), problem 2.20): the cosine of the angle between them,
//
//   A(K, L) = ⟨K, L⟩ / √(⟨K, K⟩⟨L, L⟩),   ⟨K, L⟩ = Σ_ij K_ij L_ij
//
// With L = yyᵀ it scores a kernel for a classification problem. Centred alignment (Cortes, Mohri, Rostamizadeh 2012)
// centres both matrices first, so that a constant kernel does not align with everything.
#pragma once

#include <span>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"

namespace mercer {

enum class Centering { none, both };

/// Between −1 and 1, from 0 on for positive matrices. O(n²) time, one pass (centred: one product more each), nothing
/// stored. A matrix of zeros aligns with nothing: throws NumericalError.
template <class T>
double alignment(const Gram<T>& k, const Gram<T>& l, Centering centering, const Run& run);

/// With L = yyᵀ.
template <class T>
double target_alignment(const Gram<T>& k, std::span<const double> y, Centering centering, const Run& run);

}  // namespace mercer
