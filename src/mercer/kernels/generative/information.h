// The matrix M of a natural kernel k(x, y) = V(x)ᵀ M⁻¹ V(y), V = ∇_θ ln p(x; θ) (Jaakkola & Haussler 1999; Schölkopf & Smola
// 2002, 13.4):
//
//   plain      M = 1
//   complete   the information of the complete data: hidden components and states taken as known
//   fisher     M = E_p[V Vᵀ], in closed form or from draws of the model
//   sample     M = mean of V Vᵀ over the training samples + ridge (mean of its diagonal) 1
//
// Directions in which M vanishes (a weight that the others determine) are left out: the pseudo-inverse.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/kernels/parameter.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// The parameter `information` with these of the four words, the first being the default.
ParameterSpec information_spec(std::vector<std::string> words);
/// The parameter `ridge` of `sample`.
ParameterSpec ridge_spec();

/// More scores than this make dense information matrices too costly: they are refused (require_dense_information).
inline constexpr Index most_dense_scores = 2048;
void require_dense_information(std::string_view kernel, Index scores, std::string_view what_to_try);

/// VᵀV / rows.
Matrix<double> mean_outer_product(ConstMatrixView<double> scores, const Run& run);

/// R with R Rᵀ = (M + ridge · tr(M)/p · 1)⁺; columns as many as M has eigenvalues above 10⁻⁹ of the largest. 9 p³ flops.
/// M = 0 gives one column of zeros.
Matrix<double> inverse_root(Matrix<double> m, double ridge, const Run& run);

}  // namespace mercer
