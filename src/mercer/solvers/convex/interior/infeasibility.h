// Why a convex programme has no optimum: proofs, each the solution of another convex programme that always has one.
//
//   no feasible point:  min ½‖e‖²   Ax + e = b,  lower ≤ Gx + e' ≤ upper,  l ≤ x ≤ u     e ≠ 0 is Farkas' vector itself
//   no lowest value:    min ½dᵀQd   cᵀd = −‖c‖∞, Ad = 0, and Gd and d in the directions in which they are not bounded
//                       Qd = 0 makes d a ray (where Q = 0: the shortest one); variables with a q_i do not move
//
// References: Schölkopf & Smola (2002), theorem 6.30; Boyd & Vandenberghe (2004), 5.8.
#pragma once

#include <optional>

#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

/// Empty where no proof is found: the programme is feasible, or so nearly that rounding hides it.
std::optional<FarkasCertificate> find_farkas_certificate(const ConvexProgram& program, const Run& run);
/// Whether the vector proves it, with g_j at most `rounding` where x_j has no bound (check_farkas of program_proofs.h).
bool proves_infeasible(const ConvexProgram& program, const FarkasCertificate& certificate, double rounding,
                       const Run& run);

/// A d with Qd = 0, cᵀd < 0 that stays within all constraints; empty where there is none. Of length ‖d‖∞ = 1.
std::optional<std::vector<double>> find_ray(const ConvexProgram& program, const Run& run);

}  // namespace mercer
