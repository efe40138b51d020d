// Losses that are lines between kinks, the symmetric tube and the hinge, by the machine that they make of the risk
// (convex/semiparametric.h): an interior point, then Newton's method on the rows that are on the edge of the tube or margin, one row
// at a time, to the last digits. Where prices are high, the error of f at such a row counts as price times error, and an
// iteration that ends at a relative accuracy leaves too much of it.
#pragma once

#include <optional>

#include "mercer/base/run.h"
#include "mercer/solvers/risk/risk_problem.h"

namespace mercer {

/// Nothing where the loss is another, or where the kernel matrix is known by a factor. n³/3 operations per step of the interior point,
/// and no more than that again; 2n² numbers. NumericalError where the matrix is not positive, Stopped.
std::optional<RiskSolution> solve_risk_by_active_rows(const RiskProblem& problem, double largest_gap, const Run& run);

}  // namespace mercer
