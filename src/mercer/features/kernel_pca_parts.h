// What the ways to kernel PCA share: weights, the threshold below which an eigenvalue is rounding, and the step from
// eigenvectors to coefficients.
#pragma once

#include <span>
#include <vector>

#include "mercer/features/kernel_pca.h"

namespace mercer {

/// w as it is used: all 1 where none are given. InvalidArgument where they are not `size` positive numbers.
struct PcaWeights {
  PcaWeights(std::span<const double> weights, Index size);
  std::vector<double> values;
  std::vector<double> roots;   ///< √w
  std::vector<double> shares;  ///< c = w/Σw
  double total = 0;            ///< Σw
};

/// Kc, cᵀKc and the diagonal: what offsets, totals and thresholds need. Empty means without centring.
struct PcaMeans {
  std::vector<double> diagonal;
  std::vector<double> means;
  double total_mean = 0;
};

/// tr(√W K̃ √W)/Σw.
double total_variance(const PcaMeans& means, const PcaWeights& weights);

/// Eigenvalues up to this are rounding of kernel values with this epsilon.
double rounding_floor(const PcaMeans& means, const PcaWeights& weights, double epsilon);

/// The largest c such that values[c − 1] > max(tolerance · values[0], floor), at most `wanted` (0: any number). Values
/// fall.
Index kept_components(std::span<const double> values, Index wanted, double tolerance, double floor);

/// Fills coefficients, offsets, variances and the mean from κ and U (n × components, orthonormal columns).
void set_components(std::span<const double> values, ConstMatrixView<double> vectors, const PcaMeans& means,
                    const PcaWeights& weights, KernelPca& pca);

}  // namespace mercer
