#include "mercer/solvers/convex/interior/log_barrier.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/solvers/convex/interior/barrier_state.h"
#include "mercer/solvers/convex/program/diagonal_quadratic.h"
#include "mercer/solvers/convex/program/optimality.h"

namespace mercer {

namespace {

double barrier_residual(const BarrierState& state) {
  const BarrierResiduals now = state.residuals();
  return now.stationarity + now.feasibility;
}

// One Newton step for this μ, shortened until the residual falls. False where it does not fall any more.
bool barrier_step(BarrierState& state, NewtonSystem& system, double mu, const Run& run) {
  const double before = barrier_residual(state);
  state.factorize(system, run);
  state.aim_at(mu, 0.0);
  state.find_step(system, NewtonSystem::Refinement::one, run);
  double step = std::min(1.0, 0.99 * state.reach(1.1).first);
  if (!state.is_finite()) {
    return false;
  }
  state.advance(step, step, run);
  state.set_multipliers(mu);
  while (barrier_residual(state) > (1 - 0.01 * step) * before) {
    if (step < 1e-6) {
      return false;
    }
    step /= 2;
    state.advance(-step, -step, run);
    state.set_multipliers(mu);
  }
  return true;
}

}  // namespace

ConvexSolution solve_by_log_barrier(const ConvexProgram& program, const LogBarrierOptions& options, const Run& run) {
  require_valid(program);
  if (!(options.tolerance > 0)) {
    reject_argument("log barrier: tolerance", options.tolerance, "positive");
  }
  if (!(options.reduction > 0 && options.reduction < 1)) {
    reject_argument("log barrier: reduction", options.reduction, "between 0 and 1");
  }
  const ProgramRows rows(program);
  const std::unique_ptr<DiagonalQuadratic> zero =
      program.has_quadratic() ? nullptr : DiagonalQuadratic::zero(program.size());
  const QuadraticTerm& quadratic = program.has_quadratic() ? *program.quadratic : *zero;
  BarrierState state(program, quadratic, rows);
  NewtonSystem system(quadratic, rows);
  state.start(system, run);
  ConvexSolution solution;
  solution.status = ProgramStatus::iteration_limit;
  solution.message = "the iterations ran out before the tolerance was met: allow more of them";
  double mu = state.mean_product();
  Index idle = 0;  // values of μ without a step
  state.set_multipliers(mu);
  for (; solution.iterations < options.max_iterations; ++solution.iterations) {
    run.check_stop();
    const BarrierResiduals now = state.residuals();
    if (now.worst() <= options.tolerance &&
        check_optimality(program, state.point(), run).worst() <= options.tolerance) {
      solution.status = ProgramStatus::converged;
      solution.message = "the point is optimal within the tolerance";
      break;
    }
    const bool moved = barrier_step(state, system, mu, run);
    // Near enough to the centre for the next μ: further steps would be lost.
    if (!moved || barrier_residual(state) <= std::min(1e-2 * now.gap, 1e-2)) {
      idle = moved ? 0 : idle + 1;
      mu *= options.reduction;
      state.set_multipliers(mu);
    }
    if (idle > 5) {
      solution.status = ProgramStatus::stalled;
      solution.message = "Newton's steps do not come nearer: the programme may have no point inside of all bounds";
      break;
    }
  }
  solution.point = state.point();
  const OptimalityReport report = check_optimality(program, solution.point, run);
  solution.primal = report.primal;
  solution.dual = report.dual;
  solution.relative_gap = report.relative_gap;
  return solution;
}

}  // namespace mercer
