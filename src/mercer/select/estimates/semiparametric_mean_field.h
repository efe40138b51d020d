// The mean field (mean_field.h) of machines with any parametric part, f = Σ β_j k(x_j, ·) + Σ γ_p ψ_p, whose coefficients
// are held at Σ_j β_j ψ_p(x_j) = 0: what such a machine would say of a support vector that it was fitted without.
//
//   M = [K  Ψ; Ψᵀ 0] over the free rows
//   row l is free    f(x_l) − f^l(x_l) = β_l / [M⁻¹]_ll
//   row l is bound   f(x_l) − f^l(x_l) = β_l (K_ll − v_lᵀM⁻¹v_l),   v_l = [k(x_free, x_l); ψ(x_l)]
//
// With P the projection off Ψ, M⁻¹ restricted to the rows is (PKP)⁺, so that kernels that are positive there only (thin
// plates) have the same formula. Exact where no other row changes its kind.
// Reference: Schölkopf & Smola (2002), (12.83), (12.84), with the signs of both kinds of rows alike.
#pragma once

#include <optional>
#include <span>

#include "mercer/linalg/matrix.h"
#include "mercer/select/estimates/mean_field.h"

namespace mercer {

/// functions: ψ_p(x_i), rows × functions. None where the functions are not independent on the free rows, there are more
/// than max_free of them, or the kernel is not positive on what they can take over. About f³ operations.
std::optional<MeanField> mean_field(const Gram<double>& gram, std::span<const double> coefficients,
                                    std::span<const double> bounds, ConstMatrixView<double> functions, Index max_free,
                                    const Run& run);

}  // namespace mercer
