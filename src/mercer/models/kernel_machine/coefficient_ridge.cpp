#include "mercer/models/kernel_machine/coefficient_ridge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/linalg/product.h"

namespace mercer {

namespace {

// Outputs that are solved together.
Index joint_outputs(const GlmTargets& targets) { return targets.family == GlmFamily::gaussian ? 1 : targets.outputs(); }

bool prefers_dual(Index rows, Index features, const GlmTargets& targets) {
  return features * joint_outputs(targets) >= rows;
}

}  // namespace

CoefficientRidge::CoefficientRidge(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept,
                                   const Run& run)
    : features_(features),
      targets_(targets),
      intercept_(intercept),
      run_(run),
      dual_(prefers_dual(features.rows(), features.columns(), targets)) {
  for (Index i = 0; i < features.rows(); ++i) {
    scale_ += dot(features.row(i), features.row(i)) / static_cast<double>(features.rows());
  }
  if (dual_) {
    kernel_ = Matrix<double>(features.rows(), features.rows());
    parallel_syrk<double>(1.0, features, Transpose::no, 0.0, kernel_.view(), run);
  }
}

double CoefficientRidge::memory_bytes(Index rows, Index features, const GlmTargets& targets) {
  const auto n = static_cast<double>(rows);
  const auto m = static_cast<double>(features);
  const auto c = static_cast<double>(joint_outputs(targets));
  if (prefers_dual(rows, features, targets)) {
    return 8 * n * n * (targets.family == GlmFamily::multinomial ? c + 3 : 2.0);
  }
  return 8 * (2 * (m * c + c) * (m * c + c) + n * m);
}

CoefficientRidgeSolution CoefficientRidge::solve(double lambda) {
  CoefficientRidgeSolution solution = dual_ ? solve_dual(lambda) : solve_primal(lambda);
  double misfit = solution.objective;
  if (targets_.family == GlmFamily::gaussian) {
    // The noise variance s² at its best is 2·objective/n, and the evidence −(n/2)(1 + ln 2πs²) beside the determinant.
    double n = 0;
    for (Index i = 0; i < targets_.rows(); ++i) {
      n += targets_.weight(i) * static_cast<double>(targets_.outputs());
    }
    const double variance = std::max(2 * solution.objective / n, std::numeric_limits<double>::min());
    misfit = 0.5 * n * (1 + std::log(2 * std::numbers::pi * variance));
  }
  solution.log_evidence = -misfit - solution.half_log_determinant;
  return solution;
}

CoefficientRidgeSolution CoefficientRidge::solve_dual(double lambda) {
  DualNewtonSolution dual = dual_newton(kernel_.view(), targets_, lambda, intercept_,
                                        last_dual_.alpha.rows() > 0 ? &last_dual_ : nullptr, {}, run_);
  CoefficientRidgeSolution result{.status = dual.status,
                                  .iterations = dual.iterations,
                                  .point = {Matrix<double>(features_.columns(), targets_.outputs()), dual.intercepts},
                                  .loss = dual.loss,
                                  .objective = dual.objective,
                                  .half_log_determinant = 0.5 * dual.log_determinant};
  parallel_gemm<double>(1.0, features_, Transpose::yes, dual.alpha.view(), Transpose::no, 0.0,
                        result.point.coefficients.view(), run_);
  last_dual_ = std::move(dual);
  return result;
}

CoefficientRidgeSolution CoefficientRidge::solve_primal(double lambda) {
  const Index m = features_.columns();
  if (last_primal_.coefficients.columns() == 0) {
    last_primal_ = {Matrix<double>::filled(m, targets_.outputs(), 0.0), std::vector<double>(targets_.outputs(), 0.0)};
    if (intercept_ == NetIntercept::fitted) {
      last_primal_.intercepts = glm_null_offsets(targets_);
    }
  }
  GlmNewtonSolution primal =
      glm_newton(features_, targets_, intercept_, {0, lambda},
                 {Matrix<double>::copy_of(last_primal_.coefficients.view()), last_primal_.intercepts}, {}, run_);
  last_primal_ = {Matrix<double>::copy_of(primal.point.coefficients.view()), primal.point.intercepts};
  const auto blocks = static_cast<double>(joint_outputs(targets_));
  const double copies = static_cast<double>(targets_.outputs()) / blocks;  // outputs that share one matrix
  const double half_log_determinant =
      copies * (primal.half_log_determinant - 0.5 * static_cast<double>(m) * blocks * std::log(lambda));
  CoefficientRidgeSolution result{.status = primal.status,
                                  .iterations = primal.iterations,
                                  .point = std::move(primal.point),
                                  .loss = 0,
                                  .objective = primal.objective,
                                  .half_log_determinant = half_log_determinant};
  result.loss = glm_loss(targets_, glm_linear(features_, result.point, run_).view());
  return result;
}

}  // namespace mercer
