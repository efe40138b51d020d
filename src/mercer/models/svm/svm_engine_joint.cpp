// The solves of SvmEngine (svm_engine.h) in which rows or classes share something: one slack per group of rows, all classes
// in one problem.
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/models/svm/svm_engine.h"
#include "mercer/solvers/convex/grouped_slack.h"

namespace mercer {

namespace {

SvmDual as_dual(GroupedSolution&& solution) {
  SvmDual dual;
  dual.coefficients = std::move(solution.coefficients);
  dual.values = std::move(solution.values);
  dual.offset = solution.offset;
  dual.objective = -solution.dual;
  dual.gap = solution.violation;
  dual.steps = solution.iterations;
  dual.rounds = solution.rounds;
  dual.status = solution.status;
  dual.bounded = solution.bounded;
  dual.margin = solution.rho;
  return dual;
}

}  // namespace

SvmDual SvmEngine::grouped_svc(std::span<const double> signs, const SlackGroups& groups, const Run& run) const {
  return as_dual(solve_grouped_svc(*full_->get(), {signs, groups.of_row, groups.bounds},
                                   {.tolerance = options_.tolerance, .memory_mb = options_.memory_mb}, run));
}

// Without the linear term, as of other machines with ν.
SvmDual SvmEngine::grouped_nu_svc(std::span<const double> signs, double nu, const SlackGroups& groups,
                                  const Run& run) const {
  SvmDual dual = as_dual(solve_grouped_nu_svc(*full_->get(), {signs, groups.of_row, groups.bounds}, nu,
                                              {.tolerance = options_.tolerance, .memory_mb = options_.memory_mb}, run));
  for (const double beta : dual.coefficients) {
    dual.objective += std::abs(beta);
  }
  return dual;
}

JointOptions SvmEngine::joint_options(JointLoss loss, JointOffsets offsets) const {
  return {.loss = loss,
          .offsets = offsets,
          .tolerance = options_.tolerance,
          .max_steps = options_.max_steps,
          .memory_mb = options_.memory_mb};
}

JointResult SvmEngine::joint(const JointProblem& problem, JointLoss loss, JointOffsets offsets, const Run& run) const {
  if (offsets == JointOffsets::none && is_conditional_) {
    throw InvalidArgument(
        "a joint machine without offsets needs a positive definite kernel; this one is so beside a constant only. Use "
        "multiclass = ww, ovo or ovr");
  }
  const JointOptions options = joint_options(loss, offsets);
  JointProblem again = problem;
  JointResult found;
  if (single_) {
    found = solve_joint_multiclass(*single_, problem, options, run);
    const std::span<const double> all(
        found.coefficients.data(), static_cast<std::size_t>(found.coefficients.rows() * found.coefficients.columns()));
    found.kernel_precision = value_precision(all, options_.tolerance);
    if (float_suffices(all, options_.tolerance)) {
      return found;
    }
    again.start = found.coefficients.view();
    again.start_offsets = found.offsets;
  }
  JointResult verified = solve_joint_multiclass(*full_->get(), again, options, run);
  verified.steps += found.steps;
  verified.kernel_precision = Precision::double_precision;
  return verified;
}

JointNuResult SvmEngine::joint_nu(const JointProblem& problem, double nu, const Run& run) const {
  const JointOptions options = joint_options(JointLoss::weston_watkins, JointOffsets::exact);
  if (single_ && !verifies_in_double_) {
    JointNuResult found = solve_joint_nu(*single_, problem, nu, options, run);
    const Matrix<double>& coefficients = found.machine.coefficients;
    const std::span<const double> all(coefficients.data(),
                                      static_cast<std::size_t>(coefficients.rows() * coefficients.columns()));
    found.machine.kernel_precision = value_precision(all, options_.tolerance);
    if (float_suffices(all, options_.tolerance)) {
      return found;
    }
  }
  JointNuResult verified = solve_joint_nu(*full_->get(), problem, nu, options, run);
  verified.machine.kernel_precision = Precision::double_precision;
  return verified;
}

}  // namespace mercer
