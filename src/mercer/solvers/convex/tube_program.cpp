#include "mercer/solvers/convex/tube_program.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

// Φ above Φ, with a column of 1 above −1.
Matrix<double> upper_and_lower_rows(ConstMatrixView<double> features) {
  const Index n = features.rows();
  const Index m = features.columns();
  Matrix<double> both(2 * n, m + 1);
  for (Index i = 0; i < n; ++i) {
    for (const Index row : {i, n + i}) {
      std::copy_n(features.row_data(i), m, both.view().row_data(row));
      both(row, m) = row < n ? 1.0 : -1.0;
    }
  }
  return both;
}

CheckLosses one_sided_losses(std::span<const double> targets, std::span<const double> weights) {
  const CheckLosses each = absolute_losses(targets, weights, 0);
  const std::vector<double> none(targets.size(), 0.0);
  const auto stacked = [](const std::vector<double>& above, const std::vector<double>& below) {
    std::vector<double> both = above;
    both.insert(both.end(), below.begin(), below.end());
    return both;
  };
  return {.targets = stacked(each.targets, each.targets),
          .up = stacked(each.up, none),
          .down = stacked(none, each.down),
          .tube = stacked(none, none)};
}

}  // namespace

TubeProgramSolution solve_tube_program(ConstMatrixView<double> features, std::span<const double> targets,
                                       std::span<const double> weights, double nu, std::span<const double> prices,
                                       const LinearProgramOptions& options, const Run& run) {
  const auto n = static_cast<std::size_t>(features.rows());
  if (targets.size() != n || (!weights.empty() && weights.size() != n)) {
    throw InvalidArgument("linear program: " + std::to_string(targets.size()) + " targets and " +
                          std::to_string(weights.size()) + " weights for " + std::to_string(n) + " rows of features");
  }
  if (!(nu > 0 && std::isfinite(nu))) {
    reject_argument("linear program: nu", nu, "finite and positive");
  }
  if (nu >= 1) {
    return {.program = solve_linear_program(features, absolute_losses(targets, weights, 0), prices, options, run)};
  }
  const double total = weights.empty() ? static_cast<double>(n) : std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> all_prices(prices.begin(), prices.end());
  all_prices.push_back(nu * total);
  const Matrix<double> both = upper_and_lower_rows(features);
  TubeProgramSolution solution{
      .program = solve_linear_program(both.view(), one_sided_losses(targets, weights), all_prices, options, run)};
  std::vector<double>& theta = solution.program.multipliers;
  theta.resize(2 * n, 0.0);  // none where the method found no point of the dual
  for (std::size_t i = 0; i < n; ++i) {
    theta[i] += theta[n + i];
  }
  theta.resize(n);
  solution.tube = std::max(0.0, solution.program.coefficients.back());
  solution.program.coefficients.pop_back();
  return solution;
}

}  // namespace mercer
