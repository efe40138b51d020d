#include "mercer/models/laplacian_process/price_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/data/split.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/glm/elastic_net.h"

namespace mercer {

namespace {

constexpr std::uint64_t price_rows_stream = 0x6c6172;

double total_row_weight(const LaplacianMapProblem& problem) {
  return problem.weights.empty() ? static_cast<double>(problem.features.rows())
                                 : std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
}

struct ProcessRows {
  Matrix<double> features;
  std::vector<double> targets;
  std::vector<double> weights;
  double weight = 0;

  LaplacianMapProblem problem(const LaplacianMapProblem& like) const {
    LaplacianMapProblem part = like;
    part.features = features.view();
    part.targets = targets;
    part.weights = weights;
    return part;
  }
};

enum class ColumnChoice { all, of_rows };

ProcessRows process_rows(const LaplacianMapProblem& problem, std::span<const Index> rows, ColumnChoice columns) {
  const auto count = static_cast<Index>(rows.size());
  ProcessRows part{.features = Matrix<double>(count, columns == ColumnChoice::all ? problem.features.columns() : count),
                   .targets = {},
                   .weights = {}};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto i = static_cast<std::size_t>(rows[r]);
    double* to = part.features.view().row_data(static_cast<Index>(r));
    for (Index c = 0; c < part.features.columns(); ++c) {
      to[c] = problem.features(rows[r], columns == ColumnChoice::all ? c : rows[c]);
    }
    part.targets.push_back(problem.targets[i]);
    part.weights.push_back(problem.weights.empty() ? 1.0 : problem.weights[i]);
    part.weight += part.weights.back();
  }
  return part;
}

ElasticNetProblem net_of_process(const LaplacianMapProblem& problem) {
  return {.features = problem.features,
          .targets = {problem.targets.data(), static_cast<Index>(problem.targets.size()), 1},
          .weights = problem.weights,
          .intercept = problem.offset == ProcessOffset::fitted ? NetIntercept::fitted : NetIntercept::none};
}

// At least the least price at which all coefficients are 0, for prices to start from.
double first_price(const LaplacianMapProblem& problem, const Run& run) {
  if (problem.loss == ProcessLoss::gaussian) {
    return ElasticNet(net_of_process(problem), run).largest_l1();
  }
  std::vector<double> sorted(problem.targets.begin(), problem.targets.end());
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double middle =
      problem.offset == ProcessOffset::fitted && problem.loss != ProcessLoss::hinge ? sorted[sorted.size() / 2] : 0.0;
  std::vector<double> slopes(problem.targets.size());
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double r = problem.targets[i] - middle;
    slopes[i] = r == 0 ? 0.0 : std::copysign(problem.weights.empty() ? 1.0 : problem.weights[i], r);
    (slopes[i] > 0 ? positive : negative) += std::abs(slopes[i]);
  }
  if (problem.offset == ProcessOffset::fitted && positive > 0 && negative > 0) {
    for (double& slope : slopes) {
      slope *= std::min(positive, negative) / (slope > 0 ? positive : negative);
    }
  }
  std::vector<double> sums(problem.features.columns(), 0.0);
  gemv(1.0, problem.features, Transpose::yes, slopes, 0.0, sums);
  double largest = 0;
  for (const double sum : sums) {
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

// The held-out losses of one fold, one per price. Smaller prices cost ever more time and, past the best, are ever worse:
// after some that were no better the others are not tried.
std::vector<double> held_out_losses(const LaplacianMapProblem& problem, const Split& split,
                                    std::span<const double> prices, double total_weight, const Run& run) {
  const bool lasso = problem.loss == ProcessLoss::gaussian;
  const ProcessRows train = process_rows(problem, split.train, ColumnChoice::all);
  const ProcessRows test = process_rows(problem, split.test, ColumnChoice::all);
  LaplacianMapProblem fitted = train.problem(problem);
  fitted.tolerance = lasso ? 1e-5 : 1e-3;
  LaplacianMapProblem held_out = test.problem(problem);
  const double factor = train.weight / total_weight;
  std::optional<ElasticNet> net;
  if (lasso) {
    net.emplace(net_of_process(fitted), run);
  }
  const std::size_t patience = lasso ? 6 : 3;
  std::vector<double> losses;
  std::size_t best = 0;
  for (std::size_t k = 0; k < prices.size() && k <= best + patience; ++k) {
    std::vector<double> values;
    if (lasso) {
      const ElasticNetSolution solution = net->solve({.l1 = prices[k] * factor}, {.tolerance = fitted.tolerance});
      const double offset = problem.offset == ProcessOffset::fitted ? solution.intercepts.front() : 0.0;
      values = process_values(held_out.features,
                              {solution.coefficients.data(), static_cast<std::size_t>(solution.coefficients.rows())},
                              offset);
    } else {
      const LaplacianMap map = laplacian_map(fitted, prices[k] * factor, 0, run);
      values = process_values(held_out.features, map.coefficients, map.offset);
      held_out.tube = map.tube;
    }
    // A tube that was found has its price on held-out rows, too: a wide one is no merit.
    losses.push_back(process_loss(held_out, values) + tube_cost(held_out, held_out.tube));
    best = losses[k] < losses[best] ? k : best;
  }
  losses.resize(prices.size(), std::numeric_limits<double>::infinity());
  return losses;
}

PriceChoice price_of_all_rows(const LaplacianMapProblem& problem, Index folds, const Run& run) {
  const Index n = problem.features.rows();
  const double first = first_price(problem, run);
  if (!(first > 0)) {
    return {.price = 1, .held_out = 0, .candidates = 0};
  }
  if (n < 2) {
    return {.price = first, .held_out = 0, .candidates = 1};
  }
  const bool lasso = problem.loss == ProcessLoss::gaussian;
  const std::vector<double> prices = lasso ? penalty_sequence(first, 1e-4, 25) : penalty_sequence(first, 1e-3, 8);
  const Index count = std::min(folds, n);
  Folds parts = k_fold(n, count, run.seed());
  if (problem.loss == ProcessLoss::hinge) {
    std::vector<std::int32_t> classes;
    for (const double label : problem.targets) {
      classes.push_back(label > 0 ? 1 : 0);
    }
    parts = stratified_k_fold(classes, count, run.seed());
  }
  const double total = total_row_weight(problem);
  std::vector<std::vector<double>> losses(count);
  parallel_for(run, count, "choice of the prior",
               [&](Index f) { losses[f] = held_out_losses(problem, parts.split(f), prices, total, run.quiet()); });
  PriceChoice best{.price = 0, .held_out = 0, .candidates = static_cast<Index>(prices.size())};
  for (std::size_t k = 0; k < prices.size(); ++k) {
    double sum = 0;
    for (const std::vector<double>& fold : losses) {
      sum += fold[k];
    }
    if (best.price == 0 || sum / total < best.held_out) {
      best.price = prices[k];
      best.held_out = sum / total;
    }
  }
  return best;
}

}  // namespace

PriceChoice choose_price(const LaplacianMapProblem& problem, const PriceSearch& search, const Run& run) {
  if (search.folds < 2) {
    reject_argument("folds", static_cast<double>(search.folds), "2 or more");
  }
  const Index n = problem.features.rows();
  if (search.rows <= 0 || search.rows >= n) {
    return price_of_all_rows(problem, search.folds, run);
  }
  RandomStream random(run.seed(), price_rows_stream);
  std::vector<Index> rows = sample_without_replacement(random, n, search.rows);
  std::sort(rows.begin(), rows.end());
  const bool square = problem.features.columns() == n;
  const ProcessRows part = process_rows(problem, rows, square ? ColumnChoice::of_rows : ColumnChoice::all);
  PriceChoice choice = price_of_all_rows(part.problem(problem), search.folds, run);
  choice.price *= total_row_weight(problem) / part.weight;
  return choice;
}

}  // namespace mercer
