// The duals of machines of one class (svm_dual.h says what is common to all machines):
//
//   one-class   min ½βᵀKβ                        0 ≤ β_i ≤ w_i,    Σβ = νΣw, b = −ρ                         (8.13), × νm
//   labeled     min ½βᵀKβ                        0 ≤ y_iβ_i ≤ w_i, Σ y_iβ_i = νΣw, y_i f(x_i) ≥ 0 but for errors (8.42-46)
//   SVDD        min ½βᵀKβ − ½Σ K_iiβ_i           the same box; the ball ‖Φ(x) − Σβ_iΦ(x_i)‖² ≤ R², Σβ = 1   (8.18)
//
// `converged`: the KKT gap is at most the tolerance times the smaller of ρ and Σβ times the spread of the samples in feature
// space (one-class), or R² (SVDD).
#pragma once

#include <span>

#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

template <class T>
SvmDual solve_one_class(const Gram<T>& gram, double nu, std::span<const double> weights, const BoxQpOptions& options,
                        const Run& run, std::span<const double> start = {});
/// signs are ±1: −1 for known outliers. On the boundary y_i(Kβ)_i = ρ (the book's equation (8.46) lacks y_i).
template <class T>
SvmDual solve_labeled_one_class(const Gram<T>& gram, std::span<const double> signs, double nu,
                                std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                                std::span<const double> start = {});
template <class T>
SvmDual solve_svdd(const Gram<T>& gram, double nu, std::span<const double> weights, const BoxQpOptions& options,
                   const Run& run, std::span<const double> start = {});

}  // namespace mercer
