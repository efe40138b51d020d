// Relevance vector classification, two classes: P(t = 1 | f) = 1/(1 + e^(−f)), f = Φμ, with a precision α_j of its own for
// the weight of every basis function. The posterior of the weights is taken as normal around its mode (Laplace),
//
//   ln p(t | α) ≈ Σ w_i ln p(t_i | f_i) − ½ Σ α_j μ_j² + ½ Σ ln α_j − ½ ln det H,    H = ΦᵀBΦ + A,  B = w p (1 − p)
//   s_j = φ_jᵀBφ_j − ‖L⁻¹ΦᵀBφ_j‖²,   q_j = φ_jᵀ(w(t − p)) at the mode
//
// and the precisions follow from it by the same sequential algorithm as for regression, with B held at the mode: towards
// the fixed point α_j = γ_j/μ_j², γ_j = 1 − α_j(H⁻¹)_jj. Every step finds the mode again by Newton's method, and none is
// kept that lowers the evidence. B moves with the mode, so that the fixed point is near a maximum of the evidence, and not
// one itself: other precisions of the same functions can have a higher evidence. Reference: Tipping & Faul (2003); Tipping (2001), section 3; Schölkopf & Smola (2002),
// 16.6.4 with the transposes of its (16.137) and (16.139) put right.
#pragma once

#include <span>

#include "mercer/solvers/relevance/relevance_regression.h"

namespace mercer {

/// `positive` holds 1 for the second class and 0 for the first; `weights` count rows (empty: all 1). noise options are
/// not used. With c columns and M functions in use: 2cnM operations per addition, and 2nM² per step of Newton.
RelevanceFit relevance_classification(const RelevanceBasis& basis, std::span<const double> positive,
                                      std::span<const double> weights, const RelevanceOptions& options, const Run& run);

}  // namespace mercer
