#include "mercer/solvers/svm/svm_dual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/solvers/svm/dual_program.h"
#include "mercer/solvers/svm/machine_box.h"

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double half_difference(const BoxQpPoint& point) { return (point.level[0] - point.level[1]) / 2; }

void require_both_signs(std::span<const double> signs) {
  const bool positive = std::any_of(signs.begin(), signs.end(), [](double s) { return s > 0; });
  const bool negative = std::any_of(signs.begin(), signs.end(), [](double s) { return s < 0; });
  if (!positive || !negative) {
    throw InvalidArgument("a classifier needs samples of two classes, these are all of one");
  }
}

// min ½βᵀKβ with Σβ = `total` over the rows of the one sign and −`total` over those of the other: the nearest points of
// two hulls, reduced where the bounds are below `total`. margin: ρ, half the difference of the levels.
template <class T>
SvmDual solve_two_hulls(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                        double total, const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  BoxQp qp = signed_box(signs, bounds);
  for (const double sign : signs) {
    qp.group.push_back(sign > 0 ? 0 : 1);
  }
  for (const std::uint8_t group : {std::uint8_t{0}, std::uint8_t{1}}) {
    fill_start(qp, total, [&](std::size_t t) { return qp.group[t] == group; });
  }
  go_on_from(qp, start);
  // Everything is divided by ρ afterwards, the gap too.
  qp.unit = half_difference;
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double rho = (solution.level[0] - solution.level[1]) / 2;
  const double offset = -(solution.level[0] + solution.level[1]) / 2;
  SvmDual dual = from_solution(std::move(solution), qp, signs.size());
  dual.margin = rho;
  dual.offset = offset;
  return dual;
}

// A margin that cannot be told from 0. One that was not solved to the end is returned as it is: its status says so.
double least_margin(const SvmDual& dual) {
  return dual.status == SolveStatus::iteration_limit ? dual.accuracy : std::max(dual.accuracy, dual.gap);
}

std::string how_known(const SvmDual& dual) {
  if (dual.status == SolveStatus::iteration_limit) {
    return "with a KKT gap of " + shortest(dual.gap) + " after all steps that max_steps allows";
  }
  return "which is 0 within the accuracy of the kernel values, " + shortest(std::max(dual.accuracy, dual.gap));
}

// All that is linear or quadratic in the coefficients.
void scale_by(SvmDual& dual, double factor) {
  for (std::vector<double>* vector : {&dual.coefficients, &dual.values, &dual.variables}) {
    for (double& value : *vector) {
      value *= factor;
    }
  }
  dual.offset *= factor;
  dual.objective *= factor * factor;
  dual.gap *= factor;
  dual.unit *= factor;
  dual.accuracy *= factor;
}

}  // namespace

template <class T>
SvmDual solve_c_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                    const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  require_rows(gram, signs, "signs");
  require_rows(gram, bounds, "bounds");
  require_both_signs(signs);
  BoxQp qp = from_zero(classifier_box(signs, bounds));
  use_start(qp, start);
  balance(qp.start);
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, signs.size());
  dual.offset = -level;
  return dual;
}

template <class T>
SvmDual solve_l2_svc(const Gram<T>& gram, std::span<const double> signs, std::span<const double> bounds,
                     const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  require_rows(gram, signs, "signs");
  require_rows(gram, bounds, "bounds");
  require_both_signs(signs);
  // A row whose slack costs nothing has no say.
  std::vector<double> limits(signs.size());
  std::transform(bounds.begin(), bounds.end(), limits.begin(), [](double c) { return c > 0 ? infinity : 0.0; });
  BoxQp qp = from_zero(classifier_box(signs, limits));
  std::transform(bounds.begin(), bounds.end(), std::back_inserter(qp.ridge),
                 [](double c) { return c > 0 ? 1 / (2 * c) : 0.0; });
  use_start(qp, start);
  balance(qp.start);
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, signs.size());
  dual.offset = -level;
  return dual;
}

double largest_nu(std::span<const double> signs, std::span<const double> weights) {
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    (signs[i] > 0 ? positive : negative) += weights[i];
  }
  return positive + negative > 0 ? 2 * std::min(positive, negative) / (positive + negative) : 0.0;
}

template <class T>
SvmDual solve_undivided_nu_svc(const Gram<T>& gram, std::span<const double> signs, double nu,
                               std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                               std::span<const double> start) {
  require_rows(gram, signs, "signs");
  require_rows(gram, weights, "weights");
  require_both_signs(signs);
  const double largest = largest_nu(signs, weights);
  if (!(nu > 0) || nu > largest * (1 + 1e-12)) {
    throw InvalidArgument("nu = " + shortest(nu) +
                          " is not feasible for these classes: it must be above 0 and at most " + shortest(largest) +
                          ", twice the share of the smaller class");
  }
  return solve_two_hulls(gram, signs, weights, nu * sum_of(weights) / 2, options, run, start);
}

void divide_by_margin(SvmDual& dual, double nu, double largest) {
  const double rho = dual.margin;
  if (!(rho > least_margin(dual))) {
    throw NumericalError("nu = " + shortest(nu) + " leaves no margin: rho = " + shortest(rho) + ", " + how_known(dual) +
                         ". It is below the share of errors that these data force: raise it towards " +
                         shortest(largest));
  }
  scale_by(dual, 1 / rho);
}

template <class T>
SvmDual solve_nu_svc(const Gram<T>& gram, std::span<const double> signs, double nu, std::span<const double> weights,
                     const BoxQpOptions& options, const Run& run) {
  SvmDual dual = solve_undivided_nu_svc(gram, signs, nu, weights, options, run);
  divide_by_margin(dual, nu, largest_nu(signs, weights));
  return dual;
}

template <class T>
SvmDual solve_hulls(const Gram<T>& gram, std::span<const double> signs, std::span<const double> weights,
                    const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  require_rows(gram, signs, "signs");
  require_rows(gram, weights, "weights");
  require_both_signs(signs);
  std::vector<double> limits(signs.size());
  std::transform(weights.begin(), weights.end(), limits.begin(), [](double w) { return w > 0 ? infinity : 0.0; });
  return solve_two_hulls(gram, signs, limits, 1.0, options, run, start);
}

void make_hard_margin(SvmDual& dual, std::span<const double> signs) {
  if (!(dual.margin > least_margin(dual)) || !(dual.objective > 0)) {
    throw NumericalError(
        "the classes cannot be separated with this kernel: of the squared distance of their convex hulls, " +
        shortest(2 * dual.margin) + " is left, " + how_known(dual));
  }
  // ρ = ‖w‖²/2 at the solution; of all multiples of this β the one by ‖w‖²/2 has the best value of the dual.
  scale_by(dual, 1 / dual.objective);
  dual.margin = 1;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    dual.objective -= signs[i] * dual.coefficients[i];
  }
}

#define MERCER_INSTANTIATE(T)                                                                                          \
  template SvmDual solve_c_svc(const Gram<T>&, std::span<const double>, std::span<const double>, const BoxQpOptions&,  \
                               const Run&, std::span<const double>);                                                   \
  template SvmDual solve_l2_svc(const Gram<T>&, std::span<const double>, std::span<const double>, const BoxQpOptions&, \
                                const Run&, std::span<const double>);                                                  \
  template SvmDual solve_nu_svc(const Gram<T>&, std::span<const double>, double, std::span<const double>,              \
                                const BoxQpOptions&, const Run&);                                                      \
  template SvmDual solve_undivided_nu_svc(const Gram<T>&, std::span<const double>, double, std::span<const double>,    \
                                          const BoxQpOptions&, const Run&, std::span<const double>);                   \
  template SvmDual solve_hulls(const Gram<T>&, std::span<const double>, std::span<const double>, const BoxQpOptions&,  \
                               const Run&, std::span<const double>)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);
#undef MERCER_INSTANTIATE

}  // namespace mercer
