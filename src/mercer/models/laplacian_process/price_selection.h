// The price ρ of coefficients (laplacian_map.h) by cross-validation: the losses of held-out rows over a path of prices,
// from the least at which all coefficients are 0 downwards. Sums of losses grow with the rows, and ρ with them, so that
// a price that was found on some rows serves for others in proportion to their weight.
#pragma once

#include "mercer/models/laplacian_process/laplacian_map.h"

namespace mercer {

struct PriceChoice {
  double price = 0;      ///< for the rows of the problem
  double held_out = 0;   ///< mean loss of held-out rows at it
  Index candidates = 0;  ///< prices that were tried
};

struct PriceSearch {
  Index folds = 5;
  Index rows = 500;  ///< drawn at random, that are looked at; 0: all
};

/// Lasso: 25 prices at most, each solution starts from the one before; linear programs: 8 at most. One problem per fold and
/// price; folds run in parallel and depend on run.seed() alone. Where features are square (one function per row), only
/// those of the rows that are looked at are used. The price is positive also where no coefficient is of use.
/// InvalidArgument for less than 2 folds; fewer rows than folds use one fold per row, one row gives the first price.
PriceChoice choose_price(const LaplacianMapProblem& problem, const PriceSearch& search, const Run& run);

}  // namespace mercer
