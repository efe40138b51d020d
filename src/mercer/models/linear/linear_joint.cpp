// linearsvc with all classes in one problem, as Crammer & Singer (2001) and LIBLINEAR's -s 4 write it,
//
//   min ½Σ_c‖w_c‖² + Σ_i C_i max_r (1 − δ_{r,y_i} + f_r(x_i) − f_{y_i}(x_i))
//
// by the dual of solvers/svm/joint_multiclass.h, whose margin is 2: costs are doubled and functions halved. A regularized
// intercept is the weight of a constant column s, which adds s² to the kernel.
#include "mercer/base/text.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "mercer/solvers/svm/joint_multiclass.h"

namespace mercer {

namespace {

Kernel joint_kernel(const LinearSvcOptions& options) {
  if (options.intercept != LinearIntercept::regularized) {
    return parse_kernel("linear()");
  }
  return parse_kernel("linear() + constant(value=" + shortest(options.intercept_scale * options.intercept_scale) + ")");
}

void add_joint_to_report(const JointResult& joint, FitReport& report) {
  report.iterations += joint.steps;
  report.objective_name = "primal objective";
  report.objective = joint.primal / 4;
  report.measures.push_back({"dual value", -joint.objective / 4});
  report.measures.push_back({"KKT gap", joint.gap / 2});
  if (joint.status != SolveStatus::converged) {
    report.status = joint.status;
    report.notes.push_back("the joint machine ended with a KKT gap of " + shortest(joint.gap / 2) + " (" +
                           std::string(to_string(joint.status)) + ")");
  }
}

}  // namespace

LinearMachines solve_joint_linear(const JointLinearProblem& problem, const LinearSvcOptions& options, FitReport& report,
                                  const Run& run) {
  std::vector<double> bounds(problem.bounds.begin(), problem.bounds.end());
  for (double& bound : bounds) {
    bound *= 2;
  }
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(joint_kernel(options), problem.samples, Precision::double_precision, run));
  JointResult joint = solve_joint_multiclass<double>(
      gram, {.classes = problem.classes, .class_count = problem.class_count, .bounds = bounds},
      {.loss = JointLoss::crammer_singer,
       .offsets = options.intercept == LinearIntercept::exact ? JointOffsets::exact : JointOffsets::none,
       .tolerance = 2 * options.tolerance,
       .max_steps = options.max_passes * problem.samples.size()},
      run);
  add_joint_to_report(joint, report);
  LinearMachines machines{linear_weights(0.5, problem.samples, joint.coefficients.view()),
                          Matrix<double>(1, problem.class_count)};
  for (Index c = 0; c < problem.class_count; ++c) {
    double intercept = joint.offsets[c] / 2;
    if (options.intercept == LinearIntercept::regularized) {
      for (Index i = 0; i < joint.coefficients.rows(); ++i) {
        intercept += joint.coefficients(i, c) / 2 * options.intercept_scale * options.intercept_scale;
      }
    }
    machines.intercepts(0, c) = intercept;
  }
  return machines;
}

}  // namespace mercer
