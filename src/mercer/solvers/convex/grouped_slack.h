// Support vector classifiers with one slack per group of rows: whoever is right about all rows of a group pays nothing,
// whoever is not pays for the worst of them alone,
//
//   min ½‖w‖² + Σ_g C_g ξ_g     y_i f(x_i) ≥ 1 − ξ_g for the rows i of g,  ξ ≥ 0
//   max Σα − ½βᵀKβ              β = y∘α,  α ≥ 0,  Σβ = 0,  Σ_{i∈g} α_i ≤ C_g
//
// and the ν kind, ρ in place of 1 and − νρΣ_g w_g beside the slacks, whose dual has Σα = νΣ_g w_g in place of the linear
// term; divided by ρ it is the first with C_g = w_g/ρ. Groups of one row are C-SVC and ν-SVC.
//
// Usually one row per group is a support vector. So rows are taken into the programme as they turn out to violate their
// conditions, the worst first: those of the programme are solved by the interior point (interior/interior_point.h), coefficients next to
// a bound are put on it, and Newton's method on the active rows makes the rest exact. The solution is proved by the gap
// of the two objectives and by the conditions of all rows, evaluated anew in double for what came out.
// References: Schölkopf & Smola (2002), (7.70)-(7.75); Schölkopf, Mika et al. (1999).
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

/// Views: the caller keeps the memory.
struct GroupedRows {
  std::span<const double> signs;   ///< y = ±1
  std::span<const Index> groups;   ///< per row 0 … bounds.size() − 1; −1: evaluated and not fitted to
  std::span<const double> bounds;  ///< C_g or w_g per group, positive and finite
};

struct GroupedOptions {
  double tolerance = 1e-3;  ///< of the conditions, in units of the margin, and of the relative gap
  double memory_mb = 1000;
};

struct GroupedSolution {
  std::vector<double> coefficients;  ///< β
  std::vector<double> values;        ///< Kβ
  double offset = 0;                 ///< b
  double rho = 1;                    ///< of the ν kind, before the division by it
  double primal = 0;                 ///< of the machine with the bounds C_g, or w_g/ρ
  double dual = 0;
  double relative_gap = 0;  ///< (primal − dual) / the larger of their sizes
  double violation = 0;     ///< of the conditions, the worst row's
  Index bounded = 0;        ///< support vectors of groups whose sum is at its bound
  Index iterations = 0;
  Index rounds = 0;
  SolveStatus status = SolveStatus::converged;
};

/// K is positive, or positive on what sums to 0. InvalidArgument for parts that do not fit together, one class only, and
/// where the rows that are needed do not fit into the memory; NumericalError where K is not positive. Memory: three times
/// the square of the rows in the programme. Same bits for any number of threads.
GroupedSolution solve_grouped_svc(const Gram<double>& gram, const GroupedRows& rows, const GroupedOptions& options,
                                  const Run& run);
/// InvalidArgument where ν is above largest_grouped_nu(), NumericalError where it leaves no margin.
GroupedSolution solve_grouped_nu_svc(const Gram<double>& gram, const GroupedRows& rows, double nu,
                                     const GroupedOptions& options, const Run& run);
/// The largest feasible ν, of Σ₊α = Σ₋α where a group with rows of both signs may serve either.
double largest_grouped_nu(const GroupedRows& rows);

}  // namespace mercer
