#include "mercer/solvers/smooth/quasi_newton.h"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

#include "mercer/base/error.h"

namespace mercer {

namespace {

// The power of two nearest to a unit, so that division by it is exact.
double binary_unit(double unit) { return std::exp2(std::clamp(std::round(std::log2(unit)), -1000.0, 1000.0)); }

// What the C callback sees: the function in the units of the method, the best point so far (in the caller's), and an
// exception on its way out of C code.
struct Evaluations {
  const SmoothFunction* function;
  const Run* run;
  nlopt_opt optimizer;
  double value_unit;
  std::vector<double> lengths;
  std::vector<double> first_x = {};  // the start, evaluated before the method asks for it
  std::vector<double> first_gradient = {};
  double first_value = 0;
  Index count = 0;
  double best = std::numeric_limits<double>::infinity();
  double worst = -std::numeric_limits<double>::infinity();
  std::vector<double> best_x;
  std::exception_ptr error;

  double evaluate(std::span<const double> scaled, std::span<double> gradient) {
    run->check_stop();
    std::vector<double> x(scaled.begin(), scaled.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] *= lengths[i];
    }
    const double value = (*function)(x, gradient) / value_unit;
    for (std::size_t i = 0; i < x.size(); ++i) {
      gradient[i] *= lengths[i] / value_unit;
    }
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
      best_x = std::move(x);
    }
    return value;
  }

  // Values in a larger unit, after the first evaluation, so that the first step, which is the gradient, is at most 1
  // everywhere: a jump to where the function is steeper still is one that line searches do not come back from. Returns
  // the factor.
  double shorten_first_step() {
    double steepest = 1;
    for (const double slope : first_gradient) {
      steepest = std::max(steepest, std::abs(slope));
    }
    const double factor = std::exp2(std::ceil(std::log2(steepest)));
    for (double& slope : first_gradient) {
      slope /= factor;
    }
    value_unit *= factor;
    first_value /= factor;
    best /= factor;
    worst /= factor;
    return factor;
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
  const auto is_unit = [](double unit) { return unit > 0 && std::isfinite(unit); };
  if (!is_unit(value_unit)) {
    reject_argument("value_unit", value_unit, "a positive number");
  }
  for (const double length : lengths) {
    if (!is_unit(length)) {
      reject_argument("lengths", length, "positive numbers");
    }
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
  if (!options.lengths.empty() && options.lengths.size() != start.size()) {
    throw InvalidArgument(std::to_string(options.lengths.size()) + " lengths for " + std::to_string(start.size()) +
                          " unknowns: one each, or none");
  }
  std::vector<double> lengths(start.size(), 1.0);
  std::transform(options.lengths.begin(), options.lengths.end(), lengths.begin(), binary_unit);
  // In the units of the method from here on.
  std::vector<double> x(start.size());
  std::vector<double> low(start.size());
  std::vector<double> high(start.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(lower[i] <= upper[i])) {
      throw InvalidArgument("bounds " + std::to_string(lower[i]) + " .. " + std::to_string(upper[i]) + " of unknown " +
                            std::to_string(i) + " are empty");
    }
    low[i] = lower[i] / lengths[i];
    high[i] = upper[i] / lengths[i];
    x[i] = std::clamp(start[i] / lengths[i], low[i], high[i]);
  }
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimizer(
      nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(x.size())), nlopt_destroy);
  Evaluations evaluations{.function = &function,
                          .run = &run,
                          .optimizer = optimizer.get(),
                          .value_unit = binary_unit(options.value_unit),
                          .lengths = std::move(lengths),
                          .first_x = x,
                          .best_x = {},
                          .error = nullptr};
  evaluations.first_gradient.resize(x.size());
  evaluations.first_value = evaluations.evaluate(x, evaluations.first_gradient);
  if (!std::isfinite(evaluations.best)) {
    throw NumericalError("the function to be minimised has no value, or no gradient, where the search starts");
  }
  const double factor = options.lengths.empty() ? 1.0 : evaluations.shorten_first_step();
  QuasiNewtonResult result;
  if (!x.empty()) {
    nlopt_set_min_objective(optimizer.get(), callback, &evaluations);
    nlopt_set_lower_bounds(optimizer.get(), low.data());
    nlopt_set_upper_bounds(optimizer.get(), high.data());
    nlopt_set_maxeval(optimizer.get(), static_cast<int>(std::min<Index>(options.max_evaluations, 1000000)));
    nlopt_set_vector_storage(optimizer.get(), static_cast<unsigned>(std::min<Index>(options.memory, 1000000)));
    nlopt_set_ftol_abs(optimizer.get(), options.tolerance / factor);
    nlopt_set_ftol_rel(optimizer.get(), options.tolerance);
    double value = 0;
    result.status = status_of(nlopt_optimize(optimizer.get(), x.data(), &value));
    if (evaluations.error) {
      std::rethrow_exception(evaluations.error);
    }
  }
  result.x = std::move(evaluations.best_x);
  result.value = evaluations.best * evaluations.value_unit;
  result.evaluations = evaluations.count;
  return result;
}

}  // namespace mercer
