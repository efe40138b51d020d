#include "mercer/models/svm/hull_machine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/solvers/svm/reduced_hulls.h"

namespace mercer {

namespace {

// A bound that no share reaches is one that none is at: else the only vector of a class would be taken for a row at its bound,
// which says nothing of the offset.
double bound_of_shares(std::span<const double> weights, double mu) {
  double lightest = std::numeric_limits<double>::infinity();
  for (const double weight : weights) {
    lightest = weight > 0 ? std::min(lightest, weight) : lightest;
  }
  return mu * lightest >= 1 ? 2 * mu : mu;
}

}  // namespace

double nu_of_hulls(const MachineTask& task, double mu, InfeasibleNu infeasible, std::span<const double> start) {
  const double nu = nu_of_hull_bound(task.bounds, bound_of_shares(task.bounds, mu));
  if (infeasible == InfeasibleNu::limit || !start.empty()) {
    return nu;
  }
  try {
    require_hull_bound(task.signs, task.bounds, mu);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("nusvc: hull = " + shortest(mu) + ": " + error.what());
  }
  return std::min(nu, largest_nu(task.signs, task.bounds));
}

SvmDual solve_hulls_apart(const SvmEngine& engine, const MachineTask& task, double nu, double mu, const Run& run) {
  try {
    return engine.nu_svc(task.signs, nu, task.bounds, run);
  } catch (const NumericalError&) {
    throw NumericalError(
        "nusvc: hull = " + shortest(mu) +
        ", and these reduced hulls meet: there is no margin between them. A smaller one draws them in, down to " +
        shortest(least_hull_bound(task.signs, task.bounds)));
  }
}

// Coefficients are c/μ before they are divided by ρ.
void add_hull_distance(const std::vector<MachineFacts>& facts, std::span<const double> weights,
                       std::optional<double> mu, FitReport& report) {
  if (mu && facts.size() == 1) {
    const double norm = std::sqrt(std::max(0.0, facts.front().squared_norm));
    report.measures.push_back({"distance of the hulls", bound_of_shares(weights, *mu) * facts.front().rho * norm});
  }
}

}  // namespace mercer
