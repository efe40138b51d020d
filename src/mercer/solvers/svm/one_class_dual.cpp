#include "mercer/solvers/svm/one_class_dual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/gram/wrappers.h"
#include "mercer/solvers/svm/dual_program.h"

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// ‖Φ(x) − c‖² averaged over the distribution β/Σβ whose mean c is: Σβ_iK_ii/Σβ − βᵀKβ/(Σβ)². Infinite where it is
// negative beyond rounding: an indefinite kernel has no such scale.
double variance_of(const BoxQpPoint& point, std::span<const double> diagonal) {
  constexpr double rounding = 1e-9;
  double sum = 0;
  double of_diagonal = 0;
  double of_values = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    sum += point.coefficients[i];
    of_diagonal += point.coefficients[i] * diagonal[i];
    of_values += point.coefficients[i] * point.values[i];
  }
  if (!(sum > 0)) {
    return 0;
  }
  const double variance = of_diagonal / sum - of_values / (sum * sum);
  const double size = std::abs(of_diagonal) / sum + std::abs(of_values) / (sum * sum);
  return variance < -rounding * size ? infinity : std::max(0.0, variance);
}

double squared_norm(const BoxQpPoint& point) {
  double sum = 0;
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    sum += point.coefficients[i] * point.values[i];
  }
  return sum;
}

template <class T>
std::vector<double> diagonal_of(const Gram<T>& gram) {
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  return diagonal;
}

}  // namespace

template <class T>
SvmDual solve_one_class(const Gram<T>& gram, double nu, std::span<const double> weights, const BoxQpOptions& options,
                        const Run& run, std::span<const double> start) {
  require_rows(gram, weights, "weights");
  const std::vector<double> signs(weights.size(), 1.0);
  BoxQp qp = signed_box(signs, weights);
  const double total = nu * sum_of(weights);
  fill_start(qp, total, [](std::size_t) { return true; });
  go_on_from(qp, start);
  // ρ is what values are compared with, and 2/Σβ times a gap is one of squared distances from the centre: small against
  // both. (Where the kernel is nearly constant ρ alone would be as large as the constant.)
  const std::vector<double> diagonal = diagonal_of(gram);
  qp.unit = [total, &diagonal](const BoxQpPoint& point) {
    return std::min(std::abs(point.level[0]), total * variance_of(point, diagonal));
  };
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, weights.size());
  dual.offset = -level;
  return dual;
}

// In a_i = y_iβ_i it is the machine of the matrix y_iy_jK_ij, whose start and variables are these a.
template <class T>
SvmDual solve_labeled_one_class(const Gram<T>& gram, std::span<const double> signs, double nu,
                                std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                                std::span<const double> start) {
  require_rows(gram, signs, "signs");
  const SignedGram<T> labeled(borrowed(gram), {signs.begin(), signs.end()});
  SvmDual dual = solve_one_class(labeled, nu, weights, options, run, start);
  for (std::size_t i = 0; i < signs.size(); ++i) {
    dual.coefficients[i] *= signs[i];
    dual.values[i] *= signs[i];
  }
  return dual;
}

template <class T>
SvmDual solve_svdd(const Gram<T>& gram, double nu, std::span<const double> weights, const BoxQpOptions& options,
                   const Run& run, std::span<const double> start) {
  require_rows(gram, weights, "weights");
  const double total = nu * sum_of(weights);
  std::vector<double> bounds(weights.begin(), weights.end());
  for (double& bound : bounds) {
    bound = std::min(1.0, bound / total);
  }
  const std::vector<double> signs(weights.size(), 1.0);
  BoxQp qp = signed_box(signs, bounds);
  const std::vector<double> diagonal = diagonal_of(gram);
  std::transform(diagonal.begin(), diagonal.end(), qp.linear.begin(), [](double value) { return value / -2; });
  fill_start(qp, 1.0, [](std::size_t) { return true; });
  go_on_from(qp, start);
  // A gap g is one of 2g in squared distances: the radius is right to the tolerance, relative to itself. (Where nearly
  // all rows are outside it may be 0; not below a thirtieth of the spread.)
  qp.unit = [&diagonal](const BoxQpPoint& point) {
    const double variance = variance_of(point, diagonal);
    const double squared_radius = std::abs(squared_norm(point) - 2 * point.level[0]);
    return std::isinf(variance) ? squared_radius : std::clamp(squared_radius, 1e-3 * variance, variance);
  };
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  const double norm = squared_norm({solution.level, solution.coefficients, solution.values});  // of the centre
  SvmDual dual = from_solution(std::move(solution), qp, weights.size());
  dual.margin = std::max(0.0, norm - 2 * level);
  dual.offset = level;
  return dual;
}

#define MERCER_INSTANTIATE(T)                                                                                        \
  template SvmDual solve_one_class(const Gram<T>&, double, std::span<const double>, const BoxQpOptions&, const Run&, \
                                   std::span<const double>);                                                         \
  template SvmDual solve_labeled_one_class(const Gram<T>&, std::span<const double>, double, std::span<const double>, \
                                           const BoxQpOptions&, const Run&, std::span<const double>);                \
  template SvmDual solve_svdd(const Gram<T>&, double, std::span<const double>, const BoxQpOptions&, const Run&,      \
                              std::span<const double>)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);
#undef MERCER_INSTANTIATE

}  // namespace mercer
