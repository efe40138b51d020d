// Maps from kernel values at landmarks z_1 … z_r, as coefficients of the functions k(z_i, ·):
//
//   values        k(z_c, x) itself, the empirical kernel map: inner products are Σ_i k(z_i, x) k(z_i, x')
//   kernel_pca    U D^−½ with K(z, z) = U D Uᵀ, D above tolerance · D_1: inner products are k(z, x)ᵀ K(z, z)⁺ k(z, x')
//
// Reference: Schölkopf & Smola (2002), (2.56), (2.59), (2.60).
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class MapForm { values, kernel_pca };

struct EmpiricalMap {
  Matrix<double> coefficients;  ///< landmarks × features
  std::vector<double> values;   ///< D of every feature, falling; k(z_c, z_c) for MapForm::values
  Index negative = 0;           ///< eigenvalues below 0 (beyond rounding) that were dropped
};

/// Landmarks are rows of the Gram matrix. O(r³) for kernel_pca, r² kernel values.
EmpiricalMap empirical_map(const Gram<double>& gram, std::span<const Index> landmarks, MapForm form, double tolerance,
                           const Run& run);

}  // namespace mercer
