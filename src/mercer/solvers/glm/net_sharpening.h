// A net's duality gap is small against the loss of the offset alone (ElasticNet, GlmNet). Where the features explain nearly
// all of that loss, a gap that is small against it may be as large as the objective that is left: solve_sharply() goes on,
// from solution to solution, until the gap is small against the objective too, or is rounding.
#pragma once

#include <utility>

#include "mercer/solvers/glm/elastic_net.h"

namespace mercer {

/// `Net`: ElasticNet or GlmNet; `options` are for the first solution. Further ones count if they are better.
template <class Net, class Options>
auto solve_sharply(Net& net, const ElasticNetPenalty& penalty, Options options) {
  constexpr double of_the_objective = 1e-6;
  constexpr double rounding = 1e-14;  // of the loss of the offset
  auto solution = net.solve(penalty, options);
  while (solution.status == SolveStatus::converged && solution.gap > of_the_objective * solution.objective &&
         options.tolerance > rounding) {
    options.tolerance *= 0.01;
    auto better = net.solve(penalty, options);
    if (better.status != SolveStatus::converged || !(better.gap < solution.gap)) {
      break;
    }
    better.iterations += solution.iterations;
    solution = std::move(better);
  }
  return solution;
}

}  // namespace mercer
