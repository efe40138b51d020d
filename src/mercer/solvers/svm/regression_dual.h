// The duals of support vector regression (svm_dual.h says what is common to all machines):
//
//   ε-SVR       min ½βᵀKβ − yᵀβ + ε‖β‖₁          −C_i ≤ β_i ≤ C_i, Σβ = 0                                   (9.14)
//   ν-SVR       min ½βᵀKβ − yᵀβ                  the same box,     Σ|β| = νΣC                               (9.38)
//   quantile    min ½βᵀKβ − yᵀβ                  −(1−τ)C_i ≤ β_i ≤ τC_i, Σβ = 0                               end of 9.3, × m/2
//   hard ν-SVR  min ½βᵀKβ − yᵀβ                  no box,           Σ|β| = Cν: no row outside of the tube            problem 9.6
//   one-sided   min ½βᵀKβ − yᵀβ                  0 ≤ β_i ≤ C_i,    Σβ = νΣC: f above all but a fraction ν of the y  problem 9.4
//
// `converged`: the KKT gap is at most the tolerance times the deviation of the targets.
#pragma once

#include <span>

#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

template <class T>
SvmDual solve_epsilon_svr(const Gram<T>& gram, std::span<const double> targets, double epsilon,
                          std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start = {});
/// A width ε_i ≥ 0 per row; `margin` of what it gives is their mean over the rows that count.
template <class T>
SvmDual solve_epsilon_svr(const Gram<T>& gram, std::span<const double> targets, std::span<const double> epsilons,
                          std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start = {});
template <class T>
SvmDual solve_nu_svr(const Gram<T>& gram, std::span<const double> targets, double nu, std::span<const double> bounds,
                     const BoxQpOptions& options, const Run& run, std::span<const double> start = {});
/// The τ-quantile, `level` in (0, 1): min ½‖f‖² + Σ C_i ρ_τ(y_i − f(x_i)), ρ_τ(r) = τr above 0 and (τ − 1)r below. `start`: β
/// of any level; what is outside of the box is pulled back.
template <class T>
SvmDual solve_quantile_svr(const Gram<T>& gram, std::span<const double> targets, double level,
                           std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                           std::span<const double> start = {});
/// Without slack: all rows are within a tube whose width costs `price` = CνΣw; rows of weight 0 are left out.
template <class T>
SvmDual solve_hard_nu_svr(const Gram<T>& gram, std::span<const double> targets, double price,
                          std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start = {});
/// f above the targets, apart from slack at the price C_i (infinite: none): min ½‖w‖² + price·b + ΣC_iξ_i, f ≥ y − ξ. The
/// price is at most ΣC. `weights`: what the deviation of the targets counts a row by.
template <class T>
SvmDual solve_one_sided(const Gram<T>& gram, std::span<const double> targets, double price,
                        std::span<const double> bounds, std::span<const double> weights, const BoxQpOptions& options,
                        const Run& run, std::span<const double> start = {});

}  // namespace mercer
