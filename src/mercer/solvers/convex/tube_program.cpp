#include "mercer/solvers/convex/tube_program.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
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

// The program with two rows per row and a column for the width.
TubeProgramSolution with_width_as_column(ConstMatrixView<double> features, std::span<const double> targets,
                                         std::span<const double> weights, double price_of_width,
                                         std::span<const double> prices, const LinearProgramOptions& options,
                                         const Run& run) {
  const std::size_t n = targets.size();
  std::vector<double> all_prices(prices.begin(), prices.end());
  all_prices.push_back(price_of_width);
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

// What a program of given width ε says of all widths: its multipliers prove that no objective at width e is below
// value + e (price of the width − used).
struct WidthProof {
  std::vector<double> multipliers;
  double value = 0;  // tᵀθ
  double used = 0;   // Σ|θ|
};

// The width by itself: the least objective at a given width is a convex function of it, of which every program of given
// width shows a supporting line. Where two lines meet is the next width to try, and the combination of their multipliers
// with Σ|θ| = the price of the width is feasible, with the height of that point as its value.
class WidthSearch {
 public:
  WidthSearch(ConstMatrixView<double> features, std::span<const double> targets, std::span<const double> weights,
              double price_of_width, std::span<const double> prices, const LinearProgramOptions& options,
              const Run& run)
      : features_(features),
        targets_(targets),
        weights_(weights),
        price_of_width_(price_of_width),
        prices_(prices),
        options_(options),
        run_(run) {}

  // Makes a point that is far from the optimum a better one.
  void improve(TubeProgramSolution& solution) {
    WidthProof narrow = try_width(0, solution);
    WidthProof wide{.multipliers = std::vector<double>(targets_.size(), 0.0)};
    take_multipliers(narrow, wide, solution.program);
    for (int round = 0; round < most_widths && !is_settled(solution.program) && narrow.used > price_of_width_;
         ++round) {
      const double width = (narrow.value - wide.value) / (narrow.used - wide.used);
      if (!(width > 0 && std::isfinite(width))) {
        break;
      }
      WidthProof next = try_width(width, solution);
      (next.used > price_of_width_ ? narrow : wide) = std::move(next);
      take_multipliers(narrow, wide, solution.program);
    }
    if (is_settled(solution.program)) {
      solution.program.status = SolveStatus::converged;
    }
  }

 private:
  static constexpr int most_widths = 40;

  WidthProof try_width(double width, TubeProgramSolution& solution) {
    LinearProgramSolution given =
        solve_linear_program(features_, absolute_losses(targets_, weights_, width), prices_, options_, run_);
    LinearProgramSolution& best = solution.program;
    best.iterations += given.iterations;
    best.rounds += given.rounds;
    const double objective = given.objective + price_of_width_ * width;
    if (objective < best.objective) {
      best.objective = objective;
      best.coefficients = std::move(given.coefficients);
      best.offset = given.offset;
      solution.tube = width;
    }
    WidthProof proof{.multipliers = std::move(given.multipliers)};
    for (std::size_t i = 0; i < proof.multipliers.size(); ++i) {
      proof.value += targets_[i] * proof.multipliers[i];
      proof.used += std::abs(proof.multipliers[i]);
    }
    return proof;
  }

  void take_multipliers(const WidthProof& narrow, const WidthProof& wide, LinearProgramSolution& best) const {
    const double share =
        narrow.used > price_of_width_ ? (price_of_width_ - wide.used) / (narrow.used - wide.used) : 1.0;
    const double value = share * narrow.value + (1 - share) * wide.value;
    if (value > best.objective - best.gap) {
      best.multipliers = wide.multipliers;
      scale(1 - share, best.multipliers);
      axpy(share, narrow.multipliers, best.multipliers);
    }
    best.gap = best.objective - dot(targets_, best.multipliers);
  }

  bool is_settled(const LinearProgramSolution& program) const {
    return program.gap <= 10 * options_.tolerance * program.objective;
  }

  ConstMatrixView<double> features_;
  std::span<const double> targets_;
  std::span<const double> weights_;
  double price_of_width_;
  std::span<const double> prices_;
  const LinearProgramOptions& options_;
  const Run& run_;
};

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
  TubeProgramSolution solution = with_width_as_column(features, targets, weights, nu * total, prices, options, run);
  if (solution.program.status != SolveStatus::converged) {
    // Where the width is 0, both rows of every row are held at once, more than there are numbers to solve for.
    WidthSearch(features, targets, weights, nu * total, prices, options, run).improve(solution);
  }
  return solution;
}

}  // namespace mercer
