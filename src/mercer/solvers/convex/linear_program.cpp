#include "mercer/solvers/convex/linear_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/linear_program_interior.h"
#include "mercer/solvers/convex/linear_program_polish.h"

namespace mercer {

namespace {

void require_program(ConstMatrixView<double> features, const CheckLosses& losses, std::span<const double> prices,
                     const LinearProgramOptions& options) {
  const auto n = static_cast<std::size_t>(features.rows());
  if (n == 0) {
    throw InvalidArgument("linear program: no rows");
  }
  if (losses.targets.size() != n || losses.up.size() != n || losses.down.size() != n || losses.tube.size() != n ||
      prices.size() != static_cast<std::size_t>(features.columns())) {
    throw InvalidArgument("linear program: losses and prices must have one entry per row and per column of the " +
                          std::to_string(n) + " x " + std::to_string(features.columns()) + " features");
  }
  if (!(options.tolerance > 0)) {
    reject_argument("linear program: tolerance", options.tolerance, "positive");
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool usable = std::isfinite(losses.targets[i]) && losses.up[i] >= 0 && losses.down[i] >= 0 &&
                        losses.tube[i] >= 0 && losses.up[i] + losses.down[i] > 0 &&
                        std::isfinite(losses.up[i] + losses.down[i] + losses.tube[i]);
    if (!usable) {
      throw InvalidArgument("linear program: the loss of row " + std::to_string(i) +
                            " must have a finite target, prices and a tube that are finite and not negative, and a "
                            "price that is not 0");
    }
  }
  if (options.unpriced.columns() > 0 && options.unpriced.rows() != features.rows()) {
    throw InvalidArgument("linear program: columns without a price have " + std::to_string(options.unpriced.rows()) +
                          " rows where the features have " + std::to_string(features.rows()));
  }
  for (const double price : prices) {
    if (!(price > 0 && std::isfinite(price))) {
      reject_argument("linear program: price of a column", price, "finite and positive");
    }
  }
  for (Index i = 0; i < features.rows(); ++i) {
    for (const double value : features.row(i)) {
      if (!std::isfinite(value)) {
        throw DataError("linear program: a feature of row " + std::to_string(i) + " is not finite");
      }
    }
  }
}

// The columns that may be used: of equal ones the cheapest, the first of these; none that is 0 everywhere.
std::vector<Index> distinct_program_columns(ConstMatrixView<double> features, std::span<const double> prices) {
  const auto m = static_cast<std::size_t>(features.columns());
  std::vector<double> sums(m, 0.0);
  std::vector<double> sizes(m, 0.0);
  for (Index i = 0; i < features.rows(); ++i) {
    const std::span<const double> row = features.row(i);
    const double weight = 1 + std::sin(static_cast<double>(i));
    for (std::size_t j = 0; j < m; ++j) {
      sums[j] += weight * row[j];
      sizes[j] += std::abs(row[j]);
    }
  }
  const auto equal = [&](Index a, Index b) {
    for (Index i = 0; i < features.rows(); ++i) {
      if (features(i, a) != features(i, b)) {
        return false;
      }
    }
    return true;
  };
  std::vector<Index> order;
  for (std::size_t j = 0; j < m; ++j) {
    if (sizes[j] > 0) {
      order.push_back(static_cast<Index>(j));
    }
  }
  const auto key = [&](Index j) {
    const auto at = static_cast<std::size_t>(j);
    return std::tuple(sums[at], sizes[at], prices[at], j);
  };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  std::vector<Index> kept;
  for (const Index j : order) {
    const auto at = static_cast<std::size_t>(j);
    const auto last = kept.empty() ? at : static_cast<std::size_t>(kept.back());
    if (kept.empty() || sums[last] != sums[at] || sizes[last] != sizes[at] || !equal(kept.back(), j)) {
      kept.push_back(j);
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

Matrix<double> chosen_program_columns(ConstMatrixView<double> features, std::span<const Index> columns) {
  Matrix<double> chosen(features.rows(), static_cast<Index>(columns.size()));
  for (Index i = 0; i < features.rows(); ++i) {
    const double* from = features.row_data(i);
    double* to = chosen.view().row_data(i);
    for (const Index j : columns) {
      *to++ = from[j];
    }
  }
  return chosen;
}

// θ inside of the dual's box.
std::vector<double> boxed_multipliers(const CheckLosses& losses, std::vector<double> theta) {
  for (std::size_t i = 0; i < theta.size(); ++i) {
    theta[i] = std::clamp(theta[i], -losses.down[i], losses.up[i]);
  }
  return theta;
}

double program_dual_value(const CheckLosses& losses, std::span<const double> theta) {
  double value = 0;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    value += losses.targets[i] * theta[i] - losses.tube[i] * std::abs(theta[i]);
  }
  return value;
}

Matrix<double> unpriced_columns(Index rows, const LinearProgramOptions& options) {
  const Index q = options.unpriced.columns();
  Matrix<double> columns = Matrix<double>::filled(rows, q + (options.offset == ProgramOffset::free ? 1 : 0), 1.0);
  for (Index i = 0; i < rows && q > 0; ++i) {
    std::copy_n(options.unpriced.row_data(i), q, columns.view().row_data(i));
  }
  return columns;
}

class ColumnGeneration {
 public:
  ColumnGeneration(ConstMatrixView<double> features, const CheckLosses& losses, std::span<const double> prices,
                   const LinearProgramOptions& options)
      : features_(features),
        losses_(losses),
        prices_(prices),
        options_(options),
        allowed_(distinct_program_columns(features, prices)),
        asked_(static_cast<std::size_t>(features.columns()), 0.0),
        unpriced_(unpriced_columns(features.rows(), options)) {}

  LinearProgramSolution solve(const Run& run);

 private:
  ProgramColumns columns_of(const Matrix<double>& used) const {
    return {.features = used.view(),
            .unpriced = unpriced_.view(),
            .has_offset = options_.offset == ProgramOffset::free,
            .signs = options_.signs};
  }
  // |Φ_jᵀθ| / c_j, or Φ_jᵀθ / c_j where coefficients are not negative: above 1 where column j would make the objective
  // smaller.
  double find_asked(std::span<const double> theta) {
    gemv(1.0, features_, Transpose::yes, theta, 0.0, asked_);
    double largest = 0;
    for (std::size_t j = 0; j < asked_.size(); ++j) {
      asked_[j] = (options_.signs == CoefficientSigns::any ? std::abs(asked_[j]) : asked_[j]) / prices_[j];
      largest = std::max(largest, asked_[j]);
    }
    return largest;
  }
  bool add_columns(double above, std::size_t at_most);
  // What Uᵀθ ≠ 0 takes from the dual value at the numbers that were found.
  double imbalance() const {
    double cost = 0;
    for (std::size_t k = 0; k < solution_.unpriced.size(); ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < solution_.multipliers.size(); ++i) {
        sum += unpriced_(static_cast<Index>(i), static_cast<Index>(k)) * solution_.multipliers[i];
      }
      cost += std::abs(sum * solution_.unpriced[k]);
    }
    return cost;
  }
  void finish(const InteriorPoint& point, const Matrix<double>& columns, const Run& run);

  ConstMatrixView<double> features_;
  const CheckLosses& losses_;
  std::span<const double> prices_;
  const LinearProgramOptions& options_;
  std::vector<Index> allowed_;
  std::vector<double> asked_;
  Matrix<double> unpriced_;  // U, and the column of ones
  std::vector<Index> used_;
  LinearProgramSolution solution_;
};

// Columns of a kernel come in crowds that ask alike; one of each crowd is enough for a round.
bool ColumnGeneration::add_columns(double above, std::size_t at_most) {
  std::vector<Index> wanted;
  for (const Index j : allowed_) {
    if (asked_[j] > above && !std::binary_search(used_.begin(), used_.end(), j)) {
      wanted.push_back(j);
    }
  }
  std::sort(wanted.begin(), wanted.end(), [&](Index a, Index b) {
    const double first = asked_[a];
    const double second = asked_[b];
    return first > second || (first == second && a < b);
  });
  const auto n = static_cast<std::size_t>(features_.rows());
  std::vector<std::vector<double>> taken;
  std::vector<double> column(n);
  for (std::size_t k = 0; k < wanted.size() && taken.size() < at_most; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = features_(static_cast<Index>(i), wanted[k]);
    }
    scale(1 / nrm2(column), column);
    const bool alike = wanted.size() > at_most && std::any_of(taken.begin(), taken.end(), [&](const auto& other) {
                         return std::abs(dot(other, column)) > 0.95;
                       });
    if (!alike) {
      taken.push_back(column);
      used_.push_back(wanted[k]);
    }
  }
  std::sort(used_.begin(), used_.end());
  return !taken.empty();
}

LinearProgramSolution ColumnGeneration::solve(const Run& run) {
  // The slope of the losses at a typical constant says which columns are of use at first.
  std::vector<double> slopes(losses_.targets.size());
  const double middle = options_.offset == ProgramOffset::free
                            ? std::accumulate(losses_.targets.begin(), losses_.targets.end(), 0.0) /
                                  static_cast<double>(losses_.targets.size())
                            : 0.0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    slopes[i] = losses_.targets[i] > middle ? losses_.up[i] : -losses_.down[i];
  }
  find_asked(slopes);
  constexpr double everything = -std::numeric_limits<double>::infinity();
  // Small programs are solved at once.
  const std::size_t first = allowed_.size() <= 150 ? allowed_.size() : 50;
  add_columns(everything, first);
  // A step or two more than asked for tell zeros from small numbers.
  const double last_tolerance = 0.01 * options_.tolerance;
  double tolerance = used_.size() == allowed_.size() ? last_tolerance : std::max(options_.tolerance, 1e-3);
  while (true) {
    const Matrix<double> columns = chosen_program_columns(features_, used_);
    std::vector<double> prices;
    for (const Index j : used_) {
      prices.push_back(prices_[j]);
    }
    const InteriorPoint point =
        interior_point(columns_of(columns), losses_, prices, tolerance, options_.max_iterations, run);
    solution_.iterations += point.iterations;
    ++solution_.rounds;
    run.progress("linear program", static_cast<double>(solution_.rounds), 0);
    find_asked(boxed_multipliers(losses_, point.multipliers));
    const bool precise = tolerance <= last_tolerance || point.status != SolveStatus::converged;
    if (add_columns(1 + (precise ? 0.1 * options_.tolerance : 0.1 * tolerance),
                    std::max<std::size_t>(30, used_.size() / 3))) {
      continue;
    }
    if (!precise) {
      tolerance = last_tolerance;
      continue;
    }
    solution_.status = point.status;
    finish(point, columns, run);
    return std::move(solution_);
  }
}

void ColumnGeneration::finish(const InteriorPoint& point, const Matrix<double>& columns, const Run& run) {
  std::vector<double> prices;
  for (const Index j : used_) {
    prices.push_back(prices_[j]);
  }
  const PolishedPoint polished =
      polish_program(columns_of(columns), losses_, prices, point, 0.01 * options_.tolerance, run);
  solution_.coefficients.assign(features_.columns(), 0.0);
  for (std::size_t k = 0; k < used_.size(); ++k) {
    solution_.coefficients[used_[k]] = polished.coefficients[k];
  }
  solution_.unpriced = polished.unpriced;
  if (options_.offset == ProgramOffset::free) {
    solution_.offset = solution_.unpriced.back();
    solution_.unpriced.pop_back();
  }
  solution_.objective = polished.objective;
  solution_.multipliers = boxed_multipliers(losses_, polished.multipliers);
  scale(1 / std::max(1.0, find_asked(solution_.multipliers)), solution_.multipliers);
  solution_.gap = solution_.objective - program_dual_value(losses_, solution_.multipliers) + imbalance();
  if (solution_.gap <= 10 * options_.tolerance * solution_.objective) {
    solution_.status = SolveStatus::converged;
  } else if (solution_.status == SolveStatus::converged) {
    solution_.status = SolveStatus::stalled;
  }
}

}  // namespace

CheckLosses absolute_losses(std::span<const double> targets, std::span<const double> weights, double tube) {
  CheckLosses losses;
  losses.targets.assign(targets.begin(), targets.end());
  losses.up.assign(targets.size(), 1.0);
  if (!weights.empty()) {
    losses.up.assign(weights.begin(), weights.end());
  }
  losses.down = losses.up;
  losses.tube.assign(targets.size(), tube);
  return losses;
}

CheckLosses hinge_losses(std::span<const double> labels, std::span<const double> weights) {
  CheckLosses losses = absolute_losses(labels, weights, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (std::abs(labels[i]) != 1) {
      reject_argument("label", labels[i], "1 or -1");
    }
    (labels[i] > 0 ? losses.down : losses.up)[i] = 0;
  }
  return losses;
}

double total_loss(const CheckLosses& losses, std::span<const double> values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double r = losses.targets[i] - values[i];
    sum += losses.up[i] * std::max(0.0, r - losses.tube[i]) + losses.down[i] * std::max(0.0, -r - losses.tube[i]);
  }
  return sum;
}

LinearProgramSolution solve_linear_program(ConstMatrixView<double> features, const CheckLosses& losses,
                                           std::span<const double> prices, const LinearProgramOptions& options,
                                           const Run& run) {
  require_program(features, losses, prices, options);
  // A constant without loss is a solution, and then nothing in the method's middle has a scale.
  const auto [least, most] = std::minmax_element(losses.targets.begin(), losses.targets.end());
  std::vector<double> constants = {0.0};
  if (options.offset == ProgramOffset::free) {
    constants = {*least + (*most - *least) / 2, *least, *most};
  }
  for (const double constant : constants) {
    if (total_loss(losses, std::vector<double>(losses.targets.size(), constant)) == 0) {
      LinearProgramSolution solution;
      solution.coefficients.assign(prices.size(), 0.0);
      solution.offset = constant;
      solution.unpriced.assign(static_cast<std::size_t>(options.unpriced.columns()), 0.0);
      solution.multipliers.assign(losses.targets.size(), 0.0);
      return solution;
    }
  }
  return ColumnGeneration(features, losses, prices, options).solve(run);
}

}  // namespace mercer
