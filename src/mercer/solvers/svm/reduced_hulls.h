// The nearest points of two convex hulls, or of reduced ones in which no sample may count for more than μ w_i,
//
//   min ‖p₊ − p₋‖²     p₊ = Σ₊ c_i Φ(x_i), p₋ = Σ₋ c_i Φ(x_i),  Σ₊c = Σ₋c = 1,  0 ≤ c_i ≤ μ w_i
//
// and the plane half way between them: with v = p₊ − p₋, w = 2v/‖v‖², b = −(‖p₊‖² − ‖p₋‖²)/‖v‖², so that the nearest points
// have the values ±1. Where no bound holds (μw ≥ 1) that is the machine of a hard margin. Smaller μ draw the hulls in until
// they are apart; v is then that of ν-SVC with ν = 2/(μΣw) (solve_nu_svc, svm_dual.h), whose plane is parallel and has an
// offset of its own, by the samples on the margin. At μ = 1/min(Σ₊w, Σ₋w), the least there is, the hull of the lighter class is its mean.
// References: Bennett & Bredensteiner (2000), Duality and geometry in SVM classifiers; Crisp & Burges (2000), A geometric
// interpretation of ν-SVM classifiers; Schölkopf & Smola (2002), (7.21)-(7.22) and 7.5.
#pragma once

#include <span>
#include <vector>

#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

struct ReducedHulls {
  SolveStatus status = SolveStatus::converged;
  std::vector<double> shares;        ///< c
  double distance = 0;               ///< ‖p₊ − p₋‖
  std::vector<double> coefficients;  ///< of w, β
  double offset = 0;                 ///< b
  double margin_offset = 0;  ///< that of ν-SVC in its place: samples whose share is between its bounds are at ±margin
  double margin = 0;         ///< 1 where no bound holds, and otherwise less, or more
  double gap = 0;            ///< KKT violation, in these units
};

/// The least μ that is feasible: 1/min(Σ₊w, Σ₋w).
double least_hull_bound(std::span<const double> signs, std::span<const double> weights);
/// The ν of ν-SVC with the same v, 2/(μΣw).
double nu_of_hull_bound(std::span<const double> weights, double mu);
/// InvalidArgument for a μ that is not positive and finite, or below the least, which it names.
void require_hull_bound(std::span<const double> signs, std::span<const double> weights, double mu);

/// Cost and errors as solve_nu_svc; NumericalError where the reduced hulls meet within the accuracy of the kernel values.
template <class T>
ReducedHulls solve_reduced_hulls(const Gram<T>& gram, std::span<const double> signs, std::span<const double> weights,
                                 double mu, const BoxQpOptions& options, const Run& run);

}  // namespace mercer
