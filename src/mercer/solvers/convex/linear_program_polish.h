// The end of a linear program (linear_program.h): from the inside of the feasible set to a corner of it. Coefficients
// whose slack outweighs them become 0; the others and the offset solve the equations f_i = kink of row i over the rows
// that are held there. Corners have as many such rows as numbers. What is not better than the point it came from is not
// taken: the method needs no crossover, and no wrong guess does harm.
#pragma once

#include <span>
#include <vector>

#include "mercer/solvers/convex/linear_program.h"
#include "mercer/solvers/convex/linear_program_interior.h"

namespace mercer {

struct PolishedPoint {
  std::vector<double> coefficients;
  std::vector<double> unpriced;
  std::vector<double> multipliers;
  double objective = 0;
};

/// Tries up to twelve guesses, until the gap to the dual over these columns is below `tolerance` times the objective. Each
/// costs O(n M) and two factorisations of the order of the support.
PolishedPoint polish_program(const ProgramColumns& columns, const CheckLosses& losses, std::span<const double> prices,
                             const InteriorPoint& point, double tolerance, const Run& run);

}  // namespace mercer
