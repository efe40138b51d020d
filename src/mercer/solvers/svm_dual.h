// The duals of the support vector machines, each as one quadratic programme with a box (box_qp.h). Every function takes
// a Gram operator and vectors, and returns the coefficients of f(x) = Σ_i β_i k(x_i, x) + b. Bounds are per sample and
// not divided by their number (LIBSVM's C); Schölkopf & Smola (2002) write C/m.
//
//   C-SVC       min ½βᵀKβ − Σ y_iβ_i             0 ≤ y_iβ_i ≤ C_i, Σβ = 0                                   (7.37)
//   l2 slack    the same with K + diag(1/2C_i)   0 ≤ y_iβ_i        slack ξ_i = y_iβ_i/(2C_i)                problem 7.13
//   ν-SVC       min ½βᵀKβ                        0 ≤ y_iβ_i ≤ w_i, Σβ = 0, Σ y_iβ_i = νΣw; then all / ρ     (7.44)
//   ε-SVR       min ½βᵀKβ − yᵀβ + ε‖β‖₁          −C_i ≤ β_i ≤ C_i, Σβ = 0                                   (9.14)
//   ν-SVR       min ½βᵀKβ − yᵀβ                  the same box,     Σ|β| = νΣC                               (9.38)
//   one-class   min ½βᵀKβ                        0 ≤ β_i ≤ w_i,    Σβ = νΣw, b = −ρ                         (8.13), × νm
//   SVDD        min ½βᵀKβ − ½Σ K_iiβ_i           the same box; the ball ‖Φ(x) − Σβ_iΦ(x_i)‖² ≤ R², Σβ = 1   (8.18)
#pragma once

#include <span>
#include <vector>

#include "mercer/kernels/prepared.h"
#include "mercer/solvers/box_qp.h"

namespace mercer {

struct SvmDual {
  std::vector<double> coefficients;  ///< β per row
  double offset = 0;                 ///< b
  std::vector<double> values;        ///< f(x_i) − b of the training rows, in double sums
  double objective = 0;              ///< of the dual, as minimised
  double gap = 0;                    ///< KKT violation
  Index steps = 0;
  Index rounds = 0;
  SolveStatus status = SolveStatus::converged;
  Index bounded = 0;                                         ///< coefficients at their upper bound
  Precision kernel_precision = Precision::double_precision;  ///< in which f is to be evaluated
  double margin = 1;  ///< ν-SVC: ρ before the division. ν-SVR: the width ε of the tube. SVDD: R²
};

/// signs are ±1; bounds C_i > 0, infinite for a hard margin. `start`: a feasible β, or empty.
template <class T>
SvmDual solve_c_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                    const BoxQpOptions& options, const Run& run, std::span<const double> start = {});
template <class T>
SvmDual solve_l2_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                     const BoxQpOptions& options, const Run& run);
/// InvalidArgument where ν is above 2 min(Σ₊w, Σ₋w)/Σw, the largest that is feasible; NumericalError where ρ = 0 (ν is
/// below the smallest that has a margin).
template <class T>
SvmDual solve_nu_svc(const Gram<T>& gram, std::span<const double> signs, double nu, std::span<const double> weights,
                     const BoxQpOptions& options, const Run& run);
template <class T>
SvmDual solve_epsilon_svr(const Gram<T>& gram, std::span<const double> targets, double epsilon,
                          std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start = {});
template <class T>
SvmDual solve_nu_svr(const Gram<T>& gram, std::span<const double> targets, double nu, std::span<const double> bounds,
                     const BoxQpOptions& options, const Run& run);
template <class T>
SvmDual solve_one_class(const Gram<T>& gram, double nu, std::span<const double> weights, const BoxQpOptions& options,
                        const Run& run);
template <class T>
SvmDual solve_svdd(const Gram<T>& gram, double nu, std::span<const double> weights, const BoxQpOptions& options,
                   const Run& run);

/// The largest feasible ν of ν-SVC: 2 min(Σ₊w, Σ₋w)/Σw.
double largest_nu(std::span<const double> signs, std::span<const double> weights);

}  // namespace mercer
