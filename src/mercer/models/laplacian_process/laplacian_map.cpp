#include "mercer/models/laplacian_process/laplacian_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/linear_program.h"
#include "mercer/solvers/convex/margin_program.h"
#include "mercer/solvers/convex/tube_program.h"
#include "mercer/solvers/glm/elastic_net.h"
#include "mercer/solvers/glm/net_sharpening.h"

namespace mercer {

namespace {

// Prices below this fraction of ρ are as good as none, and solvers need some.
constexpr double least_price_fraction = 1e-8;
constexpr Index most_linearizations = 50;
// Without a price: the least that is tried, of the one at which all coefficients are 0, and how many may end in rounding.
constexpr double least_price = 1e-11;
constexpr int most_failures = 3;

CheckLosses check_losses_of(const LaplacianMapProblem& problem) {
  return problem.loss == ProcessLoss::hinge
             ? hinge_losses(problem.targets, problem.weights)
             : absolute_losses(problem.targets, problem.weights,
                               problem.loss == ProcessLoss::insensitive ? problem.tube : 0.0);
}

LaplacianMap lasso_step(const LaplacianMapProblem& problem, std::span<const double> factors, double price,
                        const Run& run) {
  const ElasticNetProblem lasso{
      .features = problem.features,
      .targets = {problem.targets.data(), static_cast<Index>(problem.targets.size()), 1},
      .weights = problem.weights,
      .factors = factors,
      .intercept = problem.offset == ProcessOffset::fitted ? NetIntercept::fitted : NetIntercept::none};
  ElasticNet net(lasso, run);
  const ElasticNetSolution solution =
      solve_sharply(net, {.l1 = price}, ElasticNetOptions{.tolerance = problem.tolerance});
  LaplacianMap map;
  map.status = solution.status;
  map.iterations = solution.iterations;
  map.coefficients.assign(solution.coefficients.data(), solution.coefficients.data() + solution.coefficients.rows());
  map.offset = problem.offset == ProcessOffset::fitted ? solution.intercepts.front() : 0.0;
  map.gap = solution.gap;
  return map;
}

LinearProgramOptions program_options(const LaplacianMapProblem& problem) {
  return {.offset = problem.offset == ProcessOffset::fitted ? ProgramOffset::free : ProgramOffset::none,
          .signs = problem.signs,
          .unpriced = problem.unpriced,
          .tolerance = problem.tolerance};
}

LaplacianMap program_step(const LaplacianMapProblem& problem, std::span<const double> factors, double price,
                          const Run& run) {
  std::vector<double> prices(factors.begin(), factors.end());
  scale(price, prices);
  const LinearProgramOptions options = program_options(problem);
  LaplacianMap map;
  LinearProgramSolution solution;
  if (problem.nu > 0) {
    TubeProgramSolution found =
        solve_tube_program(problem.features, problem.targets, problem.weights, problem.nu, prices, options, run);
    map.tube = found.tube;
    solution = std::move(found.program);
  } else {
    map.tube = problem.tube;
    solution = solve_linear_program(problem.features, check_losses_of(problem), prices, options, run);
  }
  map.status = solution.status;
  map.iterations = solution.iterations;
  map.coefficients = std::move(solution.coefficients);
  map.offset = solution.offset;
  map.unpriced = std::move(solution.unpriced);
  map.gap = solution.gap;
  return map;
}

std::vector<double> values_of(const LaplacianMapProblem& problem, const LaplacianMap& map) {
  std::vector<double> values = process_values(problem.features, map.coefficients, map.offset);
  if (problem.unpriced.columns() > 0) {
    gemv(1.0, problem.unpriced, Transpose::no, map.unpriced, 1.0, values);
  }
  return values;
}

// What steps over equal columns leave of a coefficient that is 0: no more than the rounding of the largest contribution.
void drop_rounding(ConstMatrixView<double> features, std::vector<double>& coefficients) {
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  std::vector<double> contributions;
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    double largest = 0;
    for (Index i = 0; i < features.rows() && coefficients[j] != 0; ++i) {
      largest = std::max(largest, std::abs(features(i, static_cast<Index>(j))));
    }
    contributions.push_back(largest * std::abs(coefficients[j]));
  }
  const double largest = contributions.empty() ? 0.0 : *std::ranges::max_element(contributions);
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    coefficients[j] = contributions[j] > rounding * largest ? coefficients[j] : 0.0;
  }
}

double penalty_sum(std::span<const double> coefficients, double concavity) {
  double sum = 0;
  for (const double a : coefficients) {
    sum += concavity > 0 ? -std::expm1(-concavity * std::abs(a)) / concavity : std::abs(a);
  }
  return sum;
}

LaplacianMap map_step(const LaplacianMapProblem& problem, std::span<const double> factors, double price,
                      double concavity, const Run& run) {
  LaplacianMap map = problem.loss == ProcessLoss::gaussian ? lasso_step(problem, factors, price, run)
                                                           : program_step(problem, factors, price, run);
  drop_rounding(problem.features, map.coefficients);
  LaplacianMapProblem with_tube = problem;
  with_tube.tube = map.tube;
  map.loss = process_loss(with_tube, values_of(problem, map));
  map.objective = map.loss + tube_cost(problem, map.tube) + price * penalty_sum(map.coefficients, concavity);
  map.objectives = {map.objective};
  return map;
}

// The problem without a price by its dual, max tᵀθ with θ in its box and Φ_jᵀθ ≤ 0 (= 0 for coefficients of any sign),
// whose multipliers are the coefficients.
struct UnpricedMap {
  LaplacianMap map;
  double dual = 0;       // tᵀθ
  double violation = 0;  // the largest of Φ_jᵀθ beyond its condition, and of the sums that should vanish

  // What θ proves of functions that are no larger than this one; no losses are below 0.
  double bound_at(const LaplacianMap& at) const {
    double size = std::abs(at.offset);
    for (const double a : at.coefficients) {
      size += std::abs(a);
    }
    for (const double c : at.unpriced) {
      size += std::abs(c);
    }
    return std::max(0.0, dual - violation * size);
  }
};

UnpricedMap unpriced_map(const LaplacianMapProblem& problem, const Run& run) {
  const Index n = problem.features.rows();
  const Index m = problem.features.columns();
  const CheckLosses losses = check_losses_of(problem);
  const bool has_offset = problem.offset == ProcessOffset::fitted;
  const bool has_signs = problem.signs == CoefficientSigns::nonnegative;
  // Columns of the size of 1 and a total of the size of 1: the method's tolerances are those of a unit.
  std::vector<double> sizes(static_cast<std::size_t>(m), 0.0);
  Matrix<double> columns(m, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      columns(j, i) = problem.features(i, j);
      sizes[j] = std::max(sizes[j], std::abs(problem.features(i, j)));
    }
  }
  for (Index j = 0; j < m; ++j) {
    if (sizes[j] > 0) {
      scale(1 / sizes[j], columns.view().row(j));
    }
  }
  const Index q = problem.unpriced.columns();
  Matrix<double> equations = Matrix<double>::filled(q + (has_offset ? 1 : 0), n, 1.0);
  for (Index k = 0; k < q; ++k) {
    for (Index i = 0; i < n; ++i) {
      equations(k, i) = problem.unpriced(i, k);
    }
  }
  ConvexProgram program;
  for (Index i = 0; i < n; ++i) {
    program.linear.push_back(-losses.targets[i]);
    program.lower.push_back(-losses.down[i]);
    program.upper.push_back(losses.up[i]);
  }
  program.equality = equations.view();
  program.equality_values.assign(static_cast<std::size_t>(equations.rows()), 0.0);
  program.range = columns.view();
  program.range_upper.assign(static_cast<std::size_t>(m), 0.0);
  program.range_lower.assign(static_cast<std::size_t>(m), has_signs ? -std::numeric_limits<double>::infinity() : 0.0);
  const ConvexSolution found = solve_convex_program(
      program, {.tolerance = problem.tolerance, .max_iterations = 200, .certificates = Certificates::off}, run);

  LaplacianMap map;
  map.iterations = found.iterations;
  map.coefficients.assign(static_cast<std::size_t>(m), 0.0);
  for (Index j = 0; j < m; ++j) {
    const double a = sizes[j] > 0 ? -found.point.range_multipliers[j] / sizes[j] : 0.0;
    map.coefficients[j] = has_signs ? std::max(0.0, a) : a;
  }
  for (const double y : found.point.equality_multipliers) {
    map.unpriced.push_back(-y);
  }
  if (has_offset) {
    map.offset = map.unpriced.back();
    map.unpriced.pop_back();
  }
  drop_rounding(problem.features, map.coefficients);
  std::vector<double> values = values_of(problem, map);
  // Where all margins are positive, the losses vanish with a larger function.
  double margin = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n; ++i) {
    margin = std::min(margin, problem.targets[i] * values[i]);
  }
  if (margin > 0 && margin < 1) {
    const double factor = (1 + 1e-12) / margin;
    scale(factor, map.coefficients);
    scale(factor, map.unpriced);
    map.offset *= factor;
    values = values_of(problem, map);
  }
  map.loss = process_loss(problem, values);
  map.objective = map.loss;
  map.objectives = {map.loss};
  UnpricedMap result{.map = std::move(map)};
  std::vector<double> theta = found.point.x;
  for (Index i = 0; i < n; ++i) {
    theta[i] = std::clamp(theta[i], -losses.down[i], losses.up[i]);
    result.dual += losses.targets[i] * theta[i];
  }
  std::vector<double> sums(static_cast<std::size_t>(m), 0.0);
  gemv(1.0, problem.features, Transpose::yes, theta, 0.0, sums);
  for (const double sum : sums) {
    result.violation = std::max(result.violation, has_signs ? sum : std::abs(sum));
  }
  for (Index k = 0; k < equations.rows(); ++k) {
    result.violation = std::max(result.violation, std::abs(dot(equations.view().row(k), theta)));
  }
  return result;
}

}  // namespace

std::vector<double> process_values(ConstMatrixView<double> features, std::span<const double> coefficients,
                                   double offset) {
  std::vector<double> values(features.rows(), offset);
  gemv(1.0, features, Transpose::no, coefficients, 1.0, values);
  return values;
}

double tube_cost(const LaplacianMapProblem& problem, double tube) {
  const double total = problem.weights.empty() ? static_cast<double>(problem.targets.size())
                                               : std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
  return problem.nu > 0 ? problem.nu * tube * total : 0.0;
}

double process_loss(const LaplacianMapProblem& problem, std::span<const double> values) {
  if (problem.loss != ProcessLoss::gaussian) {
    return total_loss(check_losses_of(problem), values);
  }
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double r = problem.targets[i] - values[i];
    sum += 0.5 * (problem.weights.empty() ? 1.0 : problem.weights[i]) * r * r;
  }
  return sum;
}

LaplacianMap laplacian_map(const LaplacianMapProblem& problem, double price, double concavity, const Run& run) {
  if (!(price > 0 && std::isfinite(price))) {
    reject_argument("price of a coefficient", price, "finite and positive");
  }
  if (!(concavity >= 0 && std::isfinite(concavity))) {
    reject_argument("concavity", concavity, "finite and not negative");
  }
  std::vector<double> factors(problem.features.columns(), 1.0);
  LaplacianMap best = map_step(problem, factors, price, concavity, run);
  for (Index round = 1; concavity > 0 && round < most_linearizations; ++round) {
    for (std::size_t j = 0; j < factors.size(); ++j) {
      factors[j] = std::max(least_price_fraction, std::exp(-concavity * std::abs(best.coefficients[j])));
    }
    LaplacianMap next = map_step(problem, factors, price, concavity, run);
    next.iterations += best.iterations;
    if (!(next.objective < best.objective)) {
      break;
    }
    const bool settled = best.objective - next.objective <= 1e-9 * best.objective;
    next.objectives = std::move(best.objectives);
    next.objectives.push_back(next.objective);
    best = std::move(next);
    if (settled) {
      break;
    }
  }
  return best;
}

MarginMap margin_map(const LaplacianMapProblem& problem, double nu, const Run& run) {
  MarginProgramSolution found =
      solve_margin_program(problem.features, check_losses_of(problem), nu, program_options(problem), run);
  LinearProgramSolution& program = found.program;
  MarginMap result{.map = {.status = program.status,
                           .iterations = program.iterations,
                           .coefficients = std::move(program.coefficients),
                           .offset = program.offset,
                           .unpriced = std::move(program.unpriced),
                           .objective = program.objective,
                           .gap = program.gap,
                           .objectives = {program.objective}},
                   .price = found.price,
                   .rho = found.rho};
  drop_rounding(problem.features, result.map.coefficients);
  result.map.loss = process_loss(problem, values_of(problem, result.map));
  result.map.objectives = {result.map.objective};
  return result;
}

LaplacianMap map_without_price(const LaplacianMapProblem& problem, const Run& run) {
  // Without a price the tolerance is also one of the losses of f = 0.
  const double total = process_loss(problem, std::vector<double>(problem.features.rows(), 0.0));
  const UnpricedMap direct = unpriced_map(problem, run);
  // Losses below what was proven say that the proof is lost in rounding; none at all need none.
  const auto gap_of = [&](const LaplacianMap& map) {
    const double gap = map.loss - direct.bound_at(map);
    return gap < -10 * problem.tolerance * total ? map.loss : std::max(0.0, gap);
  };
  const auto is_least = [&](const LaplacianMap& map) { return gap_of(map) <= 10 * problem.tolerance * total; };
  double first = 0;  // a price at which all coefficients are 0
  for (Index j = 0; j < problem.features.columns(); ++j) {
    double sum = 0;
    for (Index i = 0; i < problem.features.rows(); ++i) {
      sum += (problem.weights.empty() ? 1.0 : problem.weights[i]) * std::abs(problem.features(i, j));
    }
    first = std::max(first, sum);
  }
  const double unit = first > 0 ? first : 1.0;
  LaplacianMap best = direct.map;
  Index iterations = best.iterations;
  int failures = 0;
  for (double price = 1e-2 * unit; price >= least_price * unit && failures < most_failures; price /= 10) {
    LaplacianMap next = laplacian_map(problem, price, 0, run);
    iterations += next.iterations;
    failures += next.status != SolveStatus::converged ? 1 : 0;
    const bool is_found = is_least(next);
    if (is_found || next.loss < best.loss) {
      best = std::move(next);
    }
    if (is_found) {
      break;  // of all functions of these losses the one of the least Σ|a|
    }
  }
  best.iterations = iterations;
  if (best.loss <= 16 * std::numeric_limits<double>::epsilon() * total) {
    best.loss = 0;  // margins of 1 but for rounding
  }
  best.gap = gap_of(best);
  best.status = is_least(best) ? SolveStatus::converged : SolveStatus::stalled;
  best.objective = best.loss;
  best.objectives = {best.loss};
  return best;
}

LaplacianMap concave_map(const LaplacianMapProblem& problem, double price, double concavity, const Run& run) {
  if (concavity > 0) {
    return laplacian_map(problem, price, concavity, run);
  }
  LaplacianMap first = laplacian_map(problem, price, 0, run);
  double largest = 0;
  for (const double a : first.coefficients) {
    largest = std::max(largest, std::abs(a));
  }
  return largest > 0 ? laplacian_map(problem, price, 5 / largest, run) : first;
}

}  // namespace mercer
