// Reduced sets by kernel PCA: an eigenvector g of K with a small eigenvalue λ says that Σ_j g_jΦ(x_j) is nearly 0 (its
// squared norm is λ), so that one of its terms can be written by the others,
//
//   Φ(x_n) ≈ −Σ_{j≠n} (g_j/g_n) Φ(x_j)      cost Σ_o (a_no/g_n)² λ;      a_j ← a_j − a_n g_j/g_n
//
// The cheapest pair (eigenvector, centre) goes, until few enough are left. The coefficients of this update are not the
// best ones: fit_coefficients() afterwards, which also measures against the target itself.
// Reference: Schölkopf & Smola (2002), 18.4.1.
#pragma once

#include "mercer/expansion/reduced_set/selection.h"

namespace mercer {

struct KpcaSelection {
  std::vector<Index> chosen;  ///< ascending
  std::vector<double> costs;  ///< of every removal: the squared norm that this step alone changed
};

/// Up to 300 centres every removal sees its own eigenvectors, O(m³) each; beyond that one decomposition serves 1 % of
/// the centres, its vectors reduced by each other.
KpcaSelection select_by_kpca(const ReductionTarget& target, Index size, const Run& run);

}  // namespace mercer
