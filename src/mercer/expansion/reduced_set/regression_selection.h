// Reduced sets by support vector regression on the function's own values: {(x_i, g_o(x_i))} for the centres, a tube of
// half-width ε and a bound so large that no value may leave it. The support vectors of the tube are fewer than the
// centres, and |g − g'| ≤ ε at all of them. Reference: Schölkopf & Smola (2002), (18.47)-(18.48).
#pragma once

#include <vector>

#include "mercer/expansion/reduced_set/selection.h"

namespace mercer {

struct TubeReduction {
  Matrix<double> coefficients;  ///< centres × outputs, with rows of 0; Σ_i of every output is 0
  std::vector<double> offsets;  ///< per output, to be added to the function
  std::vector<Index> chosen;    ///< rows that are not 0, ascending
  double width = 0;             ///< ε
};

/// For a given ε > 0, in the units of the function.
TubeReduction tube_reduction(const ReductionTarget& target, double width, const Run& run);

/// The narrowest tube found whose support vectors, over all outputs, are at most `size`. Bisection to 1 % of ε.
TubeReduction select_by_regression(const ReductionTarget& target, Index size, const Run& run);

}  // namespace mercer
