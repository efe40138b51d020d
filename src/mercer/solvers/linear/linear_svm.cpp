#include "mercer/solvers/linear/linear_svm.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/solvers/linear/linear_dual.h"
#include "mercer/solvers/linear/linear_l1.h"
#include "mercer/solvers/linear/linear_loss.h"

namespace mercer {

void LinearSvmOptions::validate() const {
  if (!(tolerance > 0)) {
    reject_argument("tolerance", tolerance, "above 0");
  }
  if (!(epsilon >= 0) || std::isinf(epsilon)) {
    reject_argument("epsilon", epsilon, "0 or more and finite");
  }
  if (max_passes < 1) {
    reject_argument("max_passes", max_passes, "1 or more");
  }
  const double square = intercept_scale * intercept_scale;
  if (intercept == LinearIntercept::regularized && !(intercept_scale > 0 && square > 0 && std::isfinite(square))) {
    reject_argument("intercept_scale", intercept_scale, "above 0, with a square that is positive and finite");
  }
  if (penalty == LinearPenalty::l1 && !linear::is_squared(loss)) {
    reject_argument("loss", word_of(loss), "squared_hinge or squared_epsilon_insensitive with an l1 penalty");
  }
}

namespace {

void check_shapes(const LinearProblem& problem) {
  if (!problem.samples.is_numeric()) {
    reject_argument("samples", to_string(problem.samples.kind()), "dense or sparse real vectors for a linear machine");
  }
  const Index size = problem.samples.size();
  if (size == 0) {
    reject_argument("samples", "no rows", "at least one row");
  }
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    reject_argument("samples", static_cast<double>(size), "fewer than 2^32 rows for a linear machine");
  }
  const auto check_length = [&](std::string_view name, std::size_t length) {
    if (static_cast<Index>(length) != size) {
      reject_argument(name, std::to_string(length) + " numbers", "one per sample, " + std::to_string(size));
    }
  };
  check_length("targets", problem.targets.size());
  check_length("bounds", problem.bounds.size());
  if (!problem.start.empty()) {
    check_length("start", problem.start.size());
  }
}

void check_values(const LinearProblem& problem, LinearLoss loss) {
  bool has_positive = false;
  bool has_negative = false;
  for (std::size_t i = 0; i < problem.targets.size(); ++i) {
    const double target = problem.targets[i];
    const double bound = problem.bounds[i];
    if (linear::is_hinge(loss) ? std::fabs(target) != 1 : !std::isfinite(target)) {
      throw DataError("targets: row " + std::to_string(i) + " has " + std::to_string(target) + "; must be " +
                      (linear::is_hinge(loss) ? "1 or -1 for a hinge loss" : "finite"));
    }
    if (!(bound >= 0) || std::isinf(bound)) {
      throw DataError("bounds: row " + std::to_string(i) + " has C = " + std::to_string(bound) +
                      "; must be 0 or more and finite");
    }
    if (!problem.start.empty() && !std::isfinite(problem.start[i])) {
      throw DataError("start: row " + std::to_string(i) + " has " + std::to_string(problem.start[i]) +
                      "; must be finite");
    }
    has_positive |= target > 0;
    has_negative |= target < 0;
  }
  if (linear::is_hinge(loss) && !(has_positive && has_negative)) {
    reject_argument("targets", has_positive ? "only 1" : "only -1",
                    "of both classes 1 and -1; for samples of one class use a one-class machine");
  }
}

}  // namespace

LinearSvmResult solve_linear_svm(const LinearProblem& problem, const LinearSvmOptions& options, const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  options.validate();
  check_shapes(problem);
  check_values(problem, options.loss);
  LinearSvmResult result = options.penalty == LinearPenalty::l2 ? linear::solve_dual(problem, options, run)
                                                                : linear::solve_l1(problem, options, run);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace mercer
