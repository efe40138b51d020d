// The duals of the support vector machines, each as one quadratic programme with a box (box_qp.h): here those of classifiers,
// in regression_dual.h and one_class_dual.h the others. Every function takes a Gram operator and vectors, and returns the
// coefficients of f(x) = Σ_i β_i k(x_i, x) + b. Bounds are per sample and not divided by their number (LIBSVM's C); Schölkopf &
// Smola (2002) write C/m.
//
//   C-SVC       min ½βᵀKβ − Σ y_iβ_i             0 ≤ y_iβ_i ≤ C_i, Σβ = 0                                   (7.37)
//   l2 slack    the same with K + diag(1/2C_i)   0 ≤ y_iβ_i        slack ξ_i = y_iβ_i/(2C_i)                problem 7.13
//   ν-SVC       min ½βᵀKβ                        0 ≤ y_iβ_i ≤ w_i, Σβ = 0, Σ y_iβ_i = νΣw; then all / ρ     (7.44)
//   hard margin min ½βᵀKβ                        0 ≤ y_iβ_i, Σ₊β = 1 = −Σ₋β: nearest points of the hulls; then all / ρ
//
// `converged` is a promise relative to the size of the problem: the KKT gap is at most the tolerance times the margin
// (C-SVC: 1, in units of which everything is), ρ (ν-SVC, hard margin), the deviation of the targets (SVR), the smaller
// of ρ and Σβ times the spread of the samples in feature space (one-class), R² (SVDD); and never above the tolerance
// itself, LIBSVM's meaning, as long as rounding allows it (box_qp.h, GapScale::smaller).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/kernels/prepared.h"
#include "mercer/solvers/svm/box_qp.h"

namespace mercer {

struct SvmDual {
  std::vector<double> coefficients;  ///< β per row
  double offset = 0;                 ///< b
  std::vector<double> values;        ///< f(x_i) − b of the training rows, in double sums
  double objective = 0;              ///< of the dual, as minimised
  double gap = 0;                    ///< KKT violation
  double unit = 1;                   ///< what that is to be small against
  double accuracy = 0;               ///< what rounding of kernel values may hide of it
  Index steps = 0;
  Index rounds = 0;
  SolveStatus status = SolveStatus::converged;
  Index bounded = 0;              ///< coefficients at their upper bound
  double margin = 1;              ///< ν-SVC: ρ before the division. ν-SVR: the width ε of the tube. SVDD: R²
  double share = 1;               ///< of its bounds that a machine with an overall tube makes use of (overall_tube.h)
  std::vector<double> variables;  ///< of the programme: the start of another solve
  Precision kernel_precision = Precision::double_precision;  ///< in which f is to be evaluated
  std::vector<double> parametric =
      {};  ///< coefficients of functions beside the kernel, the constant's first; empty: b is all
  std::vector<double> tube =
      {};                       ///< ε_q of a tube of a given shape (solvers/convex/shaped_tube.h); empty: margin is all
  std::string dependence = {};  ///< a sentence on functions that depend on others on the rows; empty: none
};

/// signs are ±1; bounds C_i > 0, infinite for a hard margin. `start`: of C-SVC, with either slack, and of ε-SVR a feasible β,
/// of the others the `variables` of another solution with the same sums; or empty.
template <class T>
SvmDual solve_c_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                    const BoxQpOptions& options, const Run& run, std::span<const double> start = {});
template <class T>
SvmDual solve_l2_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                     const BoxQpOptions& options, const Run& run, std::span<const double> start = {});
/// InvalidArgument where ν is above 2 min(Σ₊w, Σ₋w)/Σw, the largest that is feasible; NumericalError where ρ = 0 within
/// the accuracy of the kernel values (ν is below the smallest that has a margin).
template <class T>
SvmDual solve_nu_svc(const Gram<T>& gram, std::span<const double> signs, double nu, std::span<const double> weights,
                     const BoxQpOptions& options, const Run& run);
/// Its two halves: the solution before the division, from the `variables` of another one or from nothing, and the
/// division, which throws NumericalError. `largest`: the largest feasible ν.
template <class T>
SvmDual solve_undivided_nu_svc(const Gram<T>& gram, std::span<const double> signs, double nu,
                               std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                               std::span<const double> start = {});
void divide_by_margin(SvmDual& dual, double nu, double largest);
/// The nearest points of the convex hulls of two classes, rows of weight 0 left out, and the hard-margin machine that
/// they are: that of solve_c_svc with infinite bounds. NumericalError where the hulls meet, within the accuracy of the
/// kernel values.
template <class T>
SvmDual solve_hulls(const Gram<T>& gram, std::span<const double> signs, std::span<const double> weights,
                    const BoxQpOptions& options, const Run& run, std::span<const double> start = {});
void make_hard_margin(SvmDual& dual, std::span<const double> signs);

/// The largest feasible ν of ν-SVC: 2 min(Σ₊w, Σ₋w)/Σw.
double largest_nu(std::span<const double> signs, std::span<const double> weights);

}  // namespace mercer
