// Weights of a sum of kernels from centred alignment with the targets,
//
//   A(K, L) = ⟨K, L⟩/√(⟨K, K⟩⟨L, L⟩)    K centred, L = YYᵀ of the centred targets, ⟨K, L⟩ = Σ_ij w_i w_j K_ij L_ij
//
//   align    d_k ∝ A(K_k, L): every kernel by itself
//   alignf   d maximises A(Σ d_k K_k, L) over d ≥ 0: d ∝ argmin_{v ≥ 0} vᵀMv − 2vᵀa,  M_kl = ⟨K_k, K_l⟩, a_k = ⟨K_k, L⟩
//
// w_i: the weight of row i; a row of weight 2 counts as two rows. Reference: Cortes, Mohri & Rostamizadeh (2012),
// Algorithms for Learning Kernels Based on Centered Alignment.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/models/multiple_kernel/summands.h"

namespace mercer {

/// Inner products of the kernels, scaled to size 1, with each other and with the targets.
struct AlignmentSums {
  Matrix<double> products;      ///< M
  std::vector<double> targets;  ///< a
  double target_square = 0;     ///< ⟨L, L⟩

  /// A(Σ d_k K_k, L); 0 where a matrix is 0.
  double alignment(std::span<const double> weights) const;
};

/// The matrices of `grams` are centred; `targets` (n × outputs) need not be. row_weights empty: all 1. O(count² n²)
/// time, one tile per kernel and thread of memory.
AlignmentSums alignment_sums(const SummandGrams& grams, ConstMatrixView<double> targets,
                             std::span<const double> row_weights, const Run& run);

/// Σd = 1; all equal where no kernel aligns with the targets.
std::vector<double> align_weights(const AlignmentSums& sums);
/// The same by the exact quadratic programme.
std::vector<double> alignf_weights(const AlignmentSums& sums, const Run& run);

}  // namespace mercer
