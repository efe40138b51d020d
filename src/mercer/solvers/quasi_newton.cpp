#include "mercer/solvers/quasi_newton.h"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

#include "mercer/base/error.h"

namespace mercer {

namespace {

// What the C callback sees: the function, the best point so far, and an exception on its way out of C code.
struct Evaluations {
  const SmoothFunction* function;
  const Run* run;
  nlopt_opt optimizer;
  std::vector<double> first_x = {};  // the start, evaluated before the method asks for it
  std::vector<double> first_gradient = {};
  double first_value = 0;
  Index count = 0;
  double best = std::numeric_limits<double>::infinity();
  double worst = -std::numeric_limits<double>::infinity();
  std::vector<double> best_x;
  std::exception_ptr error;

  double evaluate(std::span<const double> x, std::span<double> gradient) {
    run->check_stop();
    double value = (*function)(x, gradient);
    ++count;
    const bool usable =
        std::isfinite(value) && std::ranges::all_of(gradient, [](double slope) { return std::isfinite(slope); });
    if (!usable) {
      // A finite hill, so that the line search turns back: the methods cannot take infinity.
      std::ranges::fill(gradient, 0.0);
      return std::isfinite(worst) ? worst + 1e3 * (1 + std::abs(worst)) : 1e100;
    }
    worst = std::max(worst, value);
    if (value < best) {
      best = value;
      best_x.assign(x.begin(), x.end());
    }
    return value;
  }
};

double callback(unsigned n, const double* x, double* gradient, void* data) {
  auto& evaluations = *static_cast<Evaluations*>(data);
  std::vector<double> unused;
  if (gradient == nullptr) {
    unused.resize(n);
    gradient = unused.data();
  }
  try {
    if (evaluations.count == 1 && std::equal(x, x + n, evaluations.first_x.begin())) {
      std::ranges::copy(evaluations.first_gradient, gradient);
      return evaluations.first_value;
    }
    return evaluations.evaluate({x, n}, {gradient, n});
  } catch (...) {
    evaluations.error = std::current_exception();
    nlopt_force_stop(evaluations.optimizer);
    return std::numeric_limits<double>::max();
  }
}

SolveStatus status_of(nlopt_result result) {
  switch (result) {
    case NLOPT_MAXEVAL_REACHED:
    case NLOPT_MAXTIME_REACHED:
      return SolveStatus::iteration_limit;
    case NLOPT_SUCCESS:
    case NLOPT_STOPVAL_REACHED:
    case NLOPT_FTOL_REACHED:
    case NLOPT_XTOL_REACHED:
      return SolveStatus::converged;
    default:
      return SolveStatus::stalled;
  }
}

}  // namespace

void QuasiNewtonOptions::validate() const {
  if (max_evaluations < 1) {
    reject_argument("max_evaluations", static_cast<double>(max_evaluations), "1 or more");
  }
  if (!(tolerance >= 0) || !std::isfinite(tolerance)) {
    reject_argument("tolerance", tolerance, "0 or more");
  }
  if (memory < 0) {
    reject_argument("memory", static_cast<double>(memory), "0 or more");
  }
}

QuasiNewtonResult minimize_in_box(const SmoothFunction& function, std::span<const double> start,
                                  std::span<const double> lower, std::span<const double> upper,
                                  const QuasiNewtonOptions& options, const Run& run) {
  options.validate();
  if (start.size() != lower.size() || start.size() != upper.size()) {
    throw InvalidArgument("a start of " + std::to_string(start.size()) + " numbers in a box of " +
                          std::to_string(lower.size()) + " and " + std::to_string(upper.size()) + " bounds");
  }
  std::vector<double> x(start.begin(), start.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(lower[i] <= upper[i])) {
      throw InvalidArgument("bounds " + std::to_string(lower[i]) + " .. " + std::to_string(upper[i]) + " of unknown " +
                            std::to_string(i) + " are empty");
    }
    x[i] = std::clamp(x[i], lower[i], upper[i]);
  }
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimizer(
      nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(x.size())), nlopt_destroy);
  Evaluations evaluations{
      .function = &function, .run = &run, .optimizer = optimizer.get(), .first_x = x, .best_x = x, .error = nullptr};
  evaluations.first_gradient.resize(x.size());
  evaluations.first_value = evaluations.evaluate(x, evaluations.first_gradient);
  if (!std::isfinite(evaluations.best)) {
    throw NumericalError("the function to be minimised has no value, or no gradient, where the search starts");
  }
  QuasiNewtonResult result;
  if (!x.empty()) {
    nlopt_set_min_objective(optimizer.get(), callback, &evaluations);
    nlopt_set_lower_bounds(optimizer.get(), lower.data());
    nlopt_set_upper_bounds(optimizer.get(), upper.data());
    nlopt_set_maxeval(optimizer.get(), static_cast<int>(std::min<Index>(options.max_evaluations, 1000000)));
    nlopt_set_vector_storage(optimizer.get(), static_cast<unsigned>(std::min<Index>(options.memory, 1000000)));
    nlopt_set_ftol_abs(optimizer.get(), options.tolerance);
    nlopt_set_ftol_rel(optimizer.get(), options.tolerance);
    double value = 0;
    result.status = status_of(nlopt_optimize(optimizer.get(), x.data(), &value));
    if (evaluations.error) {
      std::rethrow_exception(evaluations.error);
    }
  }
  result.x = std::move(evaluations.best_x);
  result.value = evaluations.best;
  result.evaluations = evaluations.count;
  return result;
}

}  // namespace mercer
