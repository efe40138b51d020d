#include "mercer/models/laplacian_process/price_selection.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
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

// Folds see nothing of the labels that they are asked for: columns that hold that of another row are 0.
void leave_out_labeled(const LaplacianMapProblem& problem, std::span<const Index> rows, MatrixView<double> features) {
  std::vector<char> is_seen(static_cast<std::size_t>(problem.features.rows()), 0);
  for (const Index row : rows) {
    is_seen[row] = 1;
  }
  for (Index i = 0; i < features.rows(); ++i) {
    for (std::size_t j = 0; j < problem.labeled_by.size(); ++j) {
      double& value = features(i, static_cast<Index>(j));
      value = is_seen[problem.labeled_by[j]] != 0 ? value : 0.0;
    }
  }
}

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

// Where the tube is found, and all coefficients are 0: rows of the weight νΣw are outside of it, half of them above and
// half below with an offset, those of the largest targets by size without.
std::vector<double> slopes_outside_of_tube(const LaplacianMapProblem& problem) {
  const auto n = static_cast<Index>(problem.targets.size());
  const bool has_offset = problem.offset == ProcessOffset::fitted;
  std::vector<Index> order(problem.targets.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](Index i) { return has_offset ? problem.targets[i] : std::abs(problem.targets[i]); });
  std::vector<double> slopes(problem.targets.size(), 0.0);
  const double outside = problem.nu * total_row_weight(problem);
  const auto take = [&](Index i, double sign, double& left) {
    const double weight = std::min(left, problem.weights.empty() ? 1.0 : problem.weights[i]);
    slopes[i] += sign * weight;
    left -= weight;
  };
  double above = has_offset ? outside / 2 : outside;
  double below = has_offset ? outside / 2 : 0.0;
  for (Index k = 0; k < n; ++k) {
    take(order[k], has_offset || problem.targets[order[k]] > 0 ? 1.0 : -1.0, above);
    take(order[n - 1 - k], -1.0, below);
  }
  return slopes;
}

double largest_sum(const LaplacianMapProblem& problem, std::span<const double> slopes) {
  std::vector<double> sums(problem.features.columns(), 0.0);
  gemv(1.0, problem.features, Transpose::yes, slopes, 0.0, sums);
  double largest = 0;
  for (const double sum : sums) {
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

// At least the least price at which all coefficients are 0, for prices to start from.
double first_price(const LaplacianMapProblem& problem, const Run& run) {
  if (problem.loss == ProcessLoss::gaussian) {
    return ElasticNet(net_of_process(problem), run).largest_l1();
  }
  const auto [least, most] = std::ranges::minmax(problem.targets);
  if (problem.nu > 0 && problem.nu < 1 && least < most) {
    return largest_sum(problem, slopes_outside_of_tube(problem));
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
  return largest_sum(problem, slopes);
}

// One fold, and the loss of its held-out rows at one price after the other.
class PriceFold {
 public:
  PriceFold(const LaplacianMapProblem& problem, const Split& split, double total_weight, const Run& run)
      : train_(process_rows(problem, split.train, ColumnChoice::all)),
        test_(process_rows(problem, split.test, ColumnChoice::all)),
        fitted_(train_.problem(problem)),
        held_out_(test_.problem(problem)),
        factor_(train_.weight / total_weight) {
    leave_out_labeled(problem, split.train, train_.features.view());
    const bool lasso = problem.loss == ProcessLoss::gaussian;
    fitted_.tolerance = lasso ? 1e-5 : 1e-3;
    if (problem.nu > 0) {
      // Tubes that are found differ from price to price, and small ν looks at few rows: absolute errors compare them all.
      held_out_.tube = 0;
    }
    if (lasso) {
      net_.emplace(net_of_process(fitted_), run);
    }
  }
  // Its problems refer to its rows.
  PriceFold(const PriceFold&) = delete;
  PriceFold& operator=(const PriceFold&) = delete;
  PriceFold(PriceFold&&) = delete;
  PriceFold& operator=(PriceFold&&) = delete;
  ~PriceFold() = default;

  double loss_at(double price, const Run& run) {
    std::vector<double> coefficients;
    double offset = 0;
    if (net_) {
      const ElasticNetSolution solution = net_->solve({.l1 = price * factor_}, {.tolerance = fitted_.tolerance});
      coefficients.assign(solution.coefficients.data(), solution.coefficients.data() + solution.coefficients.rows());
      offset = fitted_.offset == ProcessOffset::fitted ? solution.intercepts.front() : 0.0;
    } else {
      LaplacianMap map = laplacian_map(fitted_, price * factor_, 0, run);
      coefficients = std::move(map.coefficients);
      offset = map.offset;
    }
    uses_functions_ = uses_functions_ || std::ranges::any_of(coefficients, [](double a) { return a != 0; });
    return process_loss(held_out_, process_values(held_out_.features, coefficients, offset));
  }
  bool uses_functions() const { return uses_functions_; }

 private:
  ProcessRows train_;
  ProcessRows test_;
  LaplacianMapProblem fitted_;
  LaplacianMapProblem held_out_;
  double factor_;
  std::optional<ElasticNet> net_;
  bool uses_functions_ = false;
};

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
  std::vector<std::unique_ptr<PriceFold>> each(count);
  parallel_for(run, count,
               [&](Index f) { each[f] = std::make_unique<PriceFold>(problem, parts.split(f), total, run.quiet()); });
  // Smaller prices cost ever more time and, past the best, are ever worse: after some that were no better over all folds,
  // and left some functions in use, the others are not tried.
  const std::size_t patience = lasso ? 6 : 3;
  PriceChoice best{.price = 0, .held_out = 0, .candidates = static_cast<Index>(prices.size())};
  std::size_t last_reason = 0;  // to go on
  for (std::size_t k = 0; k < prices.size() && k <= last_reason + patience; ++k) {
    std::vector<double> losses(count);
    parallel_for(run, count, "choice of the prior",
                 [&](Index f) { losses[f] = each[f]->loss_at(prices[k], run.quiet()); });
    const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) / total;
    const bool is_better = k == 0 || mean < best.held_out;
    if (is_better) {
      best.price = prices[k];
      best.held_out = mean;
    }
    const bool uses_functions = std::ranges::all_of(each, [](const auto& fold) { return fold->uses_functions(); });
    last_reason = is_better || !uses_functions ? k : last_reason;
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
  ProcessRows part = process_rows(problem, rows, square ? ColumnChoice::of_rows : ColumnChoice::all);
  LaplacianMapProblem some = part.problem(problem);
  std::vector<Index> labeled_by;
  if (!problem.labeled_by.empty() && square) {
    labeled_by.resize(rows.size());
    std::iota(labeled_by.begin(), labeled_by.end(), Index{0});
  } else if (!problem.labeled_by.empty()) {
    leave_out_labeled(problem, rows, part.features.view());
    for (const Index row : problem.labeled_by) {
      const auto at = std::ranges::lower_bound(rows, row);
      labeled_by.push_back(at != rows.end() && *at == row ? at - rows.begin() : 0);  // elsewhere the column is 0
    }
  }
  some.labeled_by = labeled_by;
  PriceChoice choice = price_of_all_rows(some, search.folds, run);
  choice.price *= total_row_weight(problem) / part.weight;
  return choice;
}

}  // namespace mercer
