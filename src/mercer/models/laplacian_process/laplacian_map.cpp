#include "mercer/models/laplacian_process/laplacian_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
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
  double first = 0;  // a price at which all coefficients are 0
  for (Index j = 0; j < problem.features.columns(); ++j) {
    double sum = 0;
    for (Index i = 0; i < problem.features.rows(); ++i) {
      sum += (problem.weights.empty() ? 1.0 : problem.weights[i]) * std::abs(problem.features(i, j));
    }
    first = std::max(first, sum);
  }
  const double unit = first > 0 ? first : 1.0;
  LaplacianMap best = laplacian_map(problem, 1e-2 * unit, 0, run);
  for (double price = 1e-3 * unit; price >= least_price_fraction * unit && best.loss > 0; price /= 10) {
    LaplacianMap next = laplacian_map(problem, price, 0, run);
    next.iterations += best.iterations;
    if (next.status != SolveStatus::converged && best.status == SolveStatus::converged) {
      best.status = next.status;  // its losses may not be the least
      break;
    }
    const bool is_same = std::abs(best.loss - next.loss) <= 1e-9 * best.loss;
    best = std::move(next);
    if (is_same) {
      break;
    }
  }
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
