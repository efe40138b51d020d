// The joint multi-class machine of the ν kind: the margin ρ between the function of a row's class and the others is found,
//
//   min ½Σ_c‖w_c‖² − ρ ν (k−1) Σ_i w_i + Σ_i w_i Σ_{r≠y_i} ξ_ir     f_{y_i}(x_i) ≥ f_r(x_i) + ρ − ξ_ir,  ξ, ρ ≥ 0
//
// for k classes and weights w of the rows. Of the pairs of a row and another class, by their weight, at most the share ν
// has ξ > 0 and at least the share ν has a coefficient a_ir > 0. In the dual (joint_multiclass.h) Σ a_ir = ν(k−1)Σw takes
// the place of the linear term. Two classes give ν-SVC with the same ν, and ρ is twice its own.
//
// Multiplied by 2/ρ a solution is that of the machine with C_i = 2w_i/ρ, and the other way round (Schölkopf & Smola 2002, proposition
// 7.6, whose proof asks nothing of the number of classes). So C is searched: Σa(C)/C falls as C grows, and each solution,
// scaled, is where the next one starts. Reference: Schölkopf & Smola (2002), (7.59) with 7.5.
#pragma once

#include <span>
#include <vector>

#include "mercer/solvers/svm/joint_multiclass.h"

namespace mercer {

struct JointNuResult {
  /// Of the machine with C = 2w/ρ, margins are 2; the values of primal and dual are those of the ν kind by (2/ρ)².
  JointResult machine;
  double rho = 0;  ///< in units in which coefficients are at most w_i
  double nu = 0;   ///< of which this is the solution: the wanted one within the tolerance
  Index solves = 0;
};

/// The largest feasible ν: the largest flow between the classes that each of them takes in and gives out alike, no more
/// than its weight to each other one, over (k−1)Σw.
double largest_joint_nu(std::span<const std::int32_t> classes, Index class_count, std::span<const double> weights,
                        const Run& run);

/// `problem.bounds`: w; a start in it is not looked at. Of options.loss weston_watkins, of options.offsets exact. options.max_steps are those of all solves together (0:
/// max(10⁷, 100 n)). The status is `converged` where the
/// machine's is and ν is met within the tolerance, relatively. InvalidArgument where ν is not feasible, NumericalError where
/// it leaves no margin; else as solve_joint_multiclass().
template <class T>
JointNuResult solve_joint_nu(const Gram<T>& gram, const JointProblem& problem, double nu, const JointOptions& options,
                             const Run& run);

}  // namespace mercer
