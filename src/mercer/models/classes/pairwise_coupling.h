// Pairwise coupling: class probabilities p_1 … p_k from the pairwise ones r_ij = P(i | i or j, x), as the minimum of
//
//   ½ Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)²   under  Σ p = 1
//
// that is, of ½ pᵀQp with Q_ii = Σ_{j≠i} r_ji², Q_ij = −r_ji r_ij. At the minimum Qp = (pᵀQp)·1; the coordinates are
// solved for one after the other until that holds to a tolerance.
//
// Reference: T.-F. Wu, C.-J. Lin and R. C. Weng, Probability estimates for multi-class classification by pairwise
// coupling, JMLR 5 (2004): the second method, algorithm 2.
#pragma once

#include <span>

#include "mercer/linalg/view.h"

namespace mercer {

struct CouplingOptions {
  /// On max_i |(Qp)_i − pᵀQp|. LIBSVM stops at 0.005/k, which leaves the third digit open: its drop-in does so too.
  double tolerance = 1e-12;
  Index iteration_limit = 1000;
};

/// p (k numbers) from r (k × k; the diagonal is not read; r_ij + r_ji = 1 with both in (0, 1)). O(k²) per round over
/// the coordinates; two classes are solved directly: p = (r_01, r_10). InvalidArgument for shapes that do not fit.
void couple_pairwise(ConstMatrixView<double> r, std::span<double> p, const CouplingOptions& options = {});

}  // namespace mercer
