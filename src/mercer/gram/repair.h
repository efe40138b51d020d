// Positive matrices from indefinite ones, by the spectrum K = Σ λ_i v_i v_iᵀ (Schölkopf & Smola (2002), (2.65) and
// 2.2.6).
#pragma once

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class SpectrumRepair {
  shift,  ///< K − λ_min 1 where λ_min < 0: every value moves, eigenvectors stay
  clip,   ///< Σ max(λ_i, 0) v_i v_iᵀ: the nearest positive matrix
  flip,   ///< Σ |λ_i| v_i v_iᵀ
  square  ///< KᵀK: the empirical kernel map, x ↦ (k(x, x_1), …, k(x, x_n))
};

/// The repaired matrix, stored; symmetric to the last bit. n³ operations, one eigendecomposition (none for square).
Matrix<double> repaired(const Gram<double>& gram, SpectrumRepair repair, const Run& run);

}  // namespace mercer
