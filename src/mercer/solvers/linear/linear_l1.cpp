#include "mercer/solvers/linear/linear_l1.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/solvers/linear/linear_columns.h"
#include "mercer/solvers/linear/linear_objective.h"

namespace mercer::linear {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The regularized intercept as a column.
struct ConstantColumn {
  Index rows;
  double value;
  template <class Visit>
  void for_each(Index, Visit&& visit) const {
    for (Index i = 0; i < rows; ++i) {
      visit(i, value);
    }
  }
};

template <class Columns, LinearLoss loss>
class L1Descent {
 public:
  L1Descent(const Columns& columns, const LinearProblem& problem, const LinearSvmOptions& options, const Run& run)
      : columns_(columns),
        options_(options),
        run_(run),
        random_(run.seed()),
        samples_(problem.targets.size()),
        decisions_(problem.targets.size()),
        w_(static_cast<std::size_t>(columns.columns())),
        full_curvatures_(w_.size()),
        slopes_(w_.size()) {
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      samples_[i].target = problem.targets[i];
      samples_[i].bound = problem.bounds[i];
    }
    result_.primal = unlimited;
    result_.gap = unlimited;
    result_.dual = -unlimited;
    result_.dual_variables.resize(samples_.size());
    try {
      prepare(problem);
      result_.status = iterate();
    } catch (const Stopped&) {
      result_.status = SolveStatus::stopped;
      result_.weights = w_;
      result_.intercept = intercept();
    }
  }

  LinearSvmResult take_result() { return std::move(result_); }

 private:
  LossSum loss_sum() const { return {samples_, loss, options_.epsilon}; }
  bool is_exact() const { return options_.intercept == LinearIntercept::exact; }
  bool is_regularized() const { return options_.intercept == LinearIntercept::regularized; }
  double intercept() const { return intercept_; }
  // Columns at 0 are left out where their slope is inside (-1, 1) by this part of the largest violation of the pass
  // before. Violations are sums over n samples; larger parts keep nearly all columns to no use.
  double shrink_part() const { return 1 / static_cast<double>(samples_.size()); }
  double residual(Index i) const { return samples_[i].target - decisions_[i] - intercept_; }

  void prepare(const LinearProblem& problem);
  template <class Column>
  double step(const Column& column, Index j, double weight, double full_curvature, double& slope);
  template <class Column>
  double shortened(const Column& column, Index j, double weight, double direction, double slope, double full) const;
  void descend_once();
  void move_intercept();
  void recompute_decisions();
  void verify();
  void activate(double margin);
  SolveStatus iterate();

  const Columns& columns_;
  const LinearSvmOptions& options_;
  const Run& run_;
  RandomStream random_;
  std::vector<LinearSample> samples_;
  std::vector<double> decisions_;  // w·x_i, without the intercept
  std::vector<double> w_;
  std::vector<double> full_curvatures_;  // Σ 2 C x^2 over all samples: bounds the second derivative
  std::vector<double> slopes_;           // of the last verification, where all columns are visited
  double intercept_ = 0;
  double intercept_curvature_ = 0;
  std::vector<Index> order_;
  double shrink_margin_ = unlimited;  // columns with w_j = 0 and |slope| < 1 - margin leave the order
  double largest_violation_ = 0;
  double violation_sum_ = 0;
  Index changed_ = 0;
  LinearSvmResult result_;
};

template <class Columns, LinearLoss loss>
void L1Descent<Columns, loss>::prepare(const LinearProblem& problem) {
  parallel_for(run_, columns_.columns(), [&](Index j) {
    double sum = 0;
    columns_.for_each(j, [&](Index i, double x) { sum += 2 * samples_[i].bound * x * x; });
    full_curvatures_[j] = sum;
  });
  if (!std::isfinite(std::accumulate(full_curvatures_.begin(), full_curvatures_.end(), 0.0))) {
    require_finite(problem.samples);
    throw DataError("samples: the sum of C x^2 overflows; scale the columns or lower C");
  }
  for (const LinearSample& sample : samples_) {
    intercept_curvature_ += 2 * sample.bound * options_.intercept_scale * options_.intercept_scale;
  }
  activate(unlimited);
}

// The step along one weight; `slope` becomes the derivative of the loss there.
template <class Columns, LinearLoss loss>
template <class Column>
double L1Descent<Columns, loss>::step(const Column& column, Index j, double weight, double full, double& slope) {
  double g = 0;
  double h = 0;
  column.for_each(j, [&](Index i, double x) {
    const LinearSample& sample = samples_[i];
    const double r = residual(i);
    const double beta = loss_slope<loss>(r, sample.target, sample.bound, options_.epsilon);
    g -= beta * x;
    h += beta != 0 ? 2 * sample.bound * x * x : 0.0;
  });
  slope = g;
  // No sample may be active: any small part of the full curvature then leads to w_j = 0.
  h = larger(h, 1e-12 * full);
  double direction = -weight;
  if (g + 1 <= h * weight) {
    direction = -(g + 1) / h;
  } else if (g - 1 >= h * weight) {
    direction = -(g - 1) / h;
  }
  return direction == 0 ? 0 : shortened(column, j, weight, direction, g, full);
}

// direction · 2^-k for the first k with sufficient decrease. The bound by the full curvature saves looking at the
// samples in most cases.
template <class Columns, LinearLoss loss>
template <class Column>
double L1Descent<Columns, loss>::shortened(const Column& column, Index j, double weight, double direction, double slope,
                                           double full) const {
  constexpr double sufficient = 0.01;
  constexpr int max_halvings = 40;
  for (int halving = 0; halving < max_halvings; ++halving, direction *= 0.5) {
    const double penalty = std::fabs(weight + direction) - std::fabs(weight);
    const double promised = sufficient * (slope * direction + penalty);
    if (penalty + direction * (slope + 0.5 * full * direction) <= promised) {
      return direction;
    }
    double change = penalty;
    column.for_each(j, [&](Index i, double x) {
      const LinearSample& sample = samples_[i];
      const double r = residual(i);
      change += loss_value<loss>(r - direction * x, sample.target, sample.bound, options_.epsilon) -
                loss_value<loss>(r, sample.target, sample.bound, options_.epsilon);
    });
    if (change <= promised) {
      return direction;
    }
  }
  return 0;
}

template <class Columns, LinearLoss loss>
void L1Descent<Columns, loss>::move_intercept() {
  if (is_exact()) {
    intercept_ = best_intercept(loss_sum(), decisions_, intercept_, run_);
  } else if (is_regularized()) {
    const double scale = options_.intercept_scale;
    const ConstantColumn column{static_cast<Index>(samples_.size()), scale};
    double slope = 0;
    intercept_ += scale * step(column, 0, intercept_ / scale, intercept_curvature_, slope);
  }
}

template <class Columns, LinearLoss loss>
void L1Descent<Columns, loss>::descend_once() {
  shuffle(random_, order_);
  largest_violation_ = 0;
  violation_sum_ = 0;
  changed_ = 0;
  const double before = intercept_;
  move_intercept();
  changed_ += intercept_ != before ? 1 : 0;
  std::size_t kept = 0;
  for (const Index j : order_) {
    run_.check_stop();
    double& weight = w_[j];
    double slope = 0;
    const double change = step(columns_, j, weight, full_curvatures_[j], slope);
    if (weight == 0 && std::fabs(slope) < 1 - shrink_margin_) {
      continue;
    }
    order_[kept++] = j;
    const double violation =
        weight == 0 ? larger(0.0, std::fabs(slope) - 1) : std::fabs(slope + std::copysign(1.0, weight));
    largest_violation_ = larger(largest_violation_, violation);
    violation_sum_ += violation;
    if (change != 0) {
      weight += change;
      columns_.for_each(j, [&](Index i, double x) { decisions_[i] += change * x; });
      ++changed_;
    }
  }
  order_.resize(kept);
}

// From w alone, without the rounding of the steps before.
template <class Columns, LinearLoss loss>
void L1Descent<Columns, loss>::recompute_decisions() {
  std::fill(decisions_.begin(), decisions_.end(), 0.0);
  for (std::size_t j = 0; j < w_.size(); ++j) {
    run_.check_stop();
    if (w_[j] != 0) {
      columns_.for_each(static_cast<Index>(j), [&](Index i, double x) { decisions_[i] += w_[j] * x; });
    }
  }
}

template <class Columns, LinearLoss loss>
void L1Descent<Columns, loss>::verify() {
  recompute_decisions();
  if (is_exact()) {
    intercept_ = best_intercept(loss_sum(), decisions_, intercept_, run_);
  }
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    LinearSample& sample = samples_[i];
    sample.beta = loss_slope<loss>(residual(static_cast<Index>(i)), sample.target, sample.bound, options_.epsilon);
  }
  const SignedDualSums sums = dual_sums(loss_sum(), run_);
  const Balance factors = is_exact() ? balance(sums) : Balance{};
  std::vector<double> feasible(w_.size());
  parallel_for(run_, columns_.columns(), [&](Index j) {
    double positive = 0;
    double negative = 0;
    columns_.for_each(j, [&](Index i, double x) {
      const double beta = samples_[i].beta;
      (beta > 0 ? positive : negative) += beta * x;
    });
    slopes_[j] = -(positive + negative);
    feasible[j] = std::fabs(factors.positive * positive + factors.negative * negative);
  });
  double largest = feasible.empty() ? 0 : *std::max_element(feasible.begin(), feasible.end());
  double penalty = 0;
  for (const double weight : w_) {
    penalty += std::fabs(weight);
  }
  if (is_regularized()) {
    penalty += std::fabs(intercept_) / options_.intercept_scale;
    largest = larger(largest, options_.intercept_scale * std::fabs(sums.positive.size - sums.negative.size));
  }
  // s β is feasible for s up to 1 / largest; the dual along it is a parabola.
  const double linear = factors.positive * sums.positive.linear + factors.negative * sums.negative.linear;
  const double quadratic = factors.positive * factors.positive * sums.positive.quadratic +
                           factors.negative * factors.negative * sums.negative.quadratic;
  double scale = quadratic > 0 ? larger(0.0, linear / (2 * quadratic)) : 0.0;
  scale = largest > 0 ? smaller(scale, 1 / largest) : scale;
  result_.primal = penalty + total_loss(loss_sum(), decisions_, intercept_, run_);
  result_.dual = scale * (linear - scale * quadratic);
  result_.gap = result_.primal - result_.dual;
  result_.weights = w_;
  result_.intercept = intercept_;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const double beta = samples_[i].beta;
    result_.dual_variables[i] = scale * beta * (beta > 0 ? factors.positive : factors.negative);
  }
}

template <class Columns, LinearLoss loss>
void L1Descent<Columns, loss>::activate(double margin) {
  order_.clear();
  for (std::size_t j = 0; j < w_.size(); ++j) {
    const bool is_idle = w_[j] == 0 && (full_curvatures_[j] == 0 || std::fabs(slopes_[j]) < 1 - margin);
    if (!is_idle) {
      order_.push_back(static_cast<Index>(j));
    }
  }
  shrink_margin_ = margin;
}

template <class Columns, LinearLoss loss>
SolveStatus L1Descent<Columns, loss>::iterate() {
  constexpr int passes_per_check = 20;
  double first_violation = 0;
  double trigger = 0;
  bool complete = true;
  int unchecked = 0;
  for (result_.passes = 1; result_.passes <= options_.max_passes; ++result_.passes) {
    descend_once();
    ++unchecked;
    if (result_.passes == 1) {
      first_violation = violation_sum_;
      trigger = options_.tolerance * first_violation;
    }
    if (first_violation > trigger && violation_sum_ > 0) {
      const double done = std::log(first_violation / violation_sum_) / std::log(first_violation / trigger);
      run_.progress("linear svm", std::clamp(done, 0.0, 1.0), 1);
    }
    if (violation_sum_ > trigger && changed_ != 0 && unchecked < passes_per_check) {
      shrink_margin_ = shrink_part() * largest_violation_;
      complete = false;
      continue;
    }
    verify();
    unchecked = 0;
    if (result_.gap <= options_.tolerance * result_.primal) {
      return SolveStatus::converged;
    }
    if ((changed_ == 0 && complete) || result_.gap <= 1e-14 * result_.primal) {  // the rest is rounding
      return SolveStatus::stalled;
    }
    const double missing = options_.tolerance * result_.primal / result_.gap;
    trigger = std::min(trigger, violation_sum_ * std::clamp(missing, 0.1, 0.7));
    complete = changed_ == 0;
    activate(complete ? unlimited : shrink_part() * largest_violation_);
  }
  --result_.passes;
  verify();
  return result_.gap <= options_.tolerance * result_.primal ? SolveStatus::converged : SolveStatus::iteration_limit;
}

template <class Columns>
LinearSvmResult solve_columns(const Columns& columns, const LinearProblem& problem, const LinearSvmOptions& options,
                              const Run& run) {
  if (options.loss == LinearLoss::squared_hinge) {
    return L1Descent<Columns, LinearLoss::squared_hinge>(columns, problem, options, run).take_result();
  }
  return L1Descent<Columns, LinearLoss::squared_epsilon_insensitive>(columns, problem, options, run).take_result();
}

LinearSvmResult stopped_result(const LinearProblem& problem) {
  LinearSvmResult result;
  result.status = SolveStatus::stopped;
  result.primal = unlimited;
  result.gap = unlimited;
  result.dual = -unlimited;
  result.weights.resize(problem.samples.columns());
  result.dual_variables.resize(problem.targets.size());
  return result;
}

}  // namespace

LinearSvmResult solve_l1(const LinearProblem& problem, const LinearSvmOptions& options, const Run& run) {
  const Samples::Rows& rows = problem.samples.rows();
  try {
    if (const auto* dense = std::get_if<DenseRows<float>>(&rows)) {
      return solve_columns(DenseColumns<float>(*dense, run), problem, options, run);
    }
    if (const auto* dense = std::get_if<DenseRows<double>>(&rows)) {
      return solve_columns(DenseColumns<double>(*dense, run), problem, options, run);
    }
    if (const auto* sparse = std::get_if<SparseRows<float>>(&rows)) {
      return solve_columns(SparseColumns<float>(*sparse, run), problem, options, run);
    }
    return solve_columns(SparseColumns<double>(problem.samples.as<SparseRows<double>>(), run), problem, options, run);
  } catch (const Stopped&) {
    return stopped_result(problem);  // while the columns were copied
  }
}

}  // namespace mercer::linear
