#include "mercer/models/svm/hull_machine.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/solvers/svm/reduced_hulls.h"

namespace mercer {

double nu_of_hulls(const MachineTask& task, double mu, InfeasibleNu infeasible, std::span<const double> start) {
  const double nu = nu_of_hull_bound(task.bounds, mu);
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
void add_hull_distance(const std::vector<MachineFacts>& facts, std::optional<double> mu, FitReport& report) {
  if (mu && facts.size() == 1) {
    const double norm = std::sqrt(std::max(0.0, facts.front().squared_norm));
    report.measures.push_back({"distance of the hulls", *mu * facts.front().rho * norm});
  }
}

}  // namespace mercer
