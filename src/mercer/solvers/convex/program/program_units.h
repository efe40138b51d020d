// The units of a convex programme (convex_program.h): what numbers of a solution are small or large against, where the
// solution itself does not say it.
#pragma once

#include "mercer/solvers/convex/program/convex_program.h"

namespace mercer {

/// The unit of x that the data know (the least
/// right side or bound that is not 0, else |c|/|Q|, else 1), the largest diagonal entry of Q and of |c|, and a
/// millionth of the slope and of the objective at that unit (as if they were 1 where there is no objective).
struct ProgramUnits {
  double length = 1;
  double curvature = 0;
  double slope = 0;
  double slope_floor = 0;
  double objective_floor = 0;
};
ProgramUnits units_of(const ConvexProgram& program);

/// The largest |value|; 0 of none.
double largest_size(std::span<const double> values);

}  // namespace mercer
