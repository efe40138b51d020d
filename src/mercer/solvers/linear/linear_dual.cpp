#include "mercer/solvers/linear/linear_dual.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "mercer/base/buffer.h"
#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/solvers/linear/linear_dual_pass.h"
#include "mercer/solvers/linear/linear_extrapolation.h"
#include "mercer/solvers/linear/linear_objective.h"

namespace mercer::linear {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Visits between two looks at the stop token.
constexpr Index visits_per_poll = 512;
// Passes between two extrapolations.
constexpr int extrapolation_period = 5;
// A gap so small against the objective is rounding.
constexpr double rounding = 1e-14;

template <class Rows>
class DualDescent {
 public:
  DualDescent(const Rows& rows, const LinearProblem& problem, const LinearSvmOptions& options, const Run& run)
      : rows_(rows),
        options_(options),
        run_(run),
        random_(run.seed()),
        samples_(rows.rows),
        order_(rows.rows),
        decisions_(rows.rows),
        w_(static_cast<std::size_t>(rows.columns)) {
    pass_.samples = samples_.data();
    pass_.order = order_.data();
    pass_.w = w_.data();
    pass_.loss = options.loss;
    pass_.epsilon = options.epsilon;
    result_.dual_variables.resize(rows.rows);
    result_.primal = infinity;
    result_.gap = infinity;
    result_.dual = -infinity;
    try {
      prepare(problem);
      result_.status = iterate();
      finish();
    } catch (const Stopped&) {
      result_.status = SolveStatus::stopped;
      if (is_prepared_) {
        finish();
      }
    }
    if (result_.status == SolveStatus::stopped) {
      result_.weights = w_;
      result_.intercept = intercept();
    }
  }

  LinearSvmResult take_result() { return std::move(result_); }

 private:
  LossSum loss_sum() const {
    return {{samples_.data(), static_cast<std::size_t>(samples_.size())}, options_.loss, options_.epsilon};
  }
  std::span<const double> decisions() const { return {decisions_.data(), static_cast<std::size_t>(decisions_.size())}; }
  double intercept() const { return pass_.offset + intercept_square_ * pass_.beta_sum; }
  bool is_exact() const { return options_.intercept == LinearIntercept::exact; }

  void prepare(const LinearProblem& problem) {
    set_samples(problem);
    is_prepared_ = true;
    start_from(problem.start);
    set_shrinking(Shrinking::off);
    activate();
  }
  void set_samples(const LinearProblem& problem);
  void start_from(std::span<const double> start);
  void activate();
  enum class Shrinking { off, on };
  void set_shrinking(Shrinking shrinking);
  void shuffle_order();
  bool descend_once();
  void verify();
  void sum_all(std::vector<double>& positive, std::vector<double>& negative);
  SolveStatus iterate();
  void finish();

  Rows rows_;
  const LinearSvmOptions& options_;
  const Run& run_;
  RandomStream random_;
  Buffer<LinearSample> samples_;
  Buffer<std::uint32_t> order_;
  Buffer<double> decisions_;
  std::vector<double> w_;
  double intercept_square_ = 0;
  double target_size_ = 1;  // mean |t|: how far an intercept may be off
  bool is_prepared_ = false;
  DualPass pass_;
  Extrapolation<Rows> extrapolation_;
  double dual_estimate_ = 0;
  Balance balance_;
  LinearSvmResult result_;
};

template <class Rows>
void DualDescent<Rows>::set_samples(const LinearProblem& problem) {
  constexpr Index block = 4096;
  std::vector<double> sums(block_count(rows_.rows, block));
  parallel_for(run_, block_count(rows_.rows, block), [&](Index b) {
    const IndexRange range = block_range(rows_.rows, block, b);
    set_norms(rows_, samples_.data(), range);
    double sum = 0;
    for (Index i = range.begin; i < range.end; ++i) {
      LinearSample& sample = samples_.data()[i];
      sample.beta = 0;
      sample.target = problem.targets[i];
      sample.bound = problem.bounds[i];
      sum += sample.curvature;
    }
    sums[b] = sum;
  });
  double sum = 0;
  for (const double part : sums) {
    sum += part;
  }
  if (!std::isfinite(sum)) {
    require_finite(problem.samples);
    throw DataError("samples: the sum of their squared norms overflows; scale the columns");
  }
  if (options_.intercept == LinearIntercept::regularized) {
    intercept_square_ = options_.intercept_scale * options_.intercept_scale;
  } else if (is_exact()) {
    const double mean = sum / static_cast<double>(rows_.rows);
    intercept_square_ = mean > 0 ? mean : 1.0;
  }
  pass_.intercept_square = intercept_square_;
  if (!is_hinge(options_.loss)) {
    target_size_ = 0;
    for (const double target : problem.targets) {
      target_size_ += std::fabs(target) / static_cast<double>(rows_.rows);
    }
  }
  for (Index i = 0; i < rows_.rows; ++i) {
    LinearSample& sample = samples_.data()[i];
    sample.curvature += intercept_square_;
    if (is_squared(options_.loss) && sample.bound > 0) {
      sample.curvature += 0.5 / sample.bound;
    }
  }
}

template <class Rows>
void DualDescent<Rows>::start_from(std::span<const double> start) {
  if (start.empty()) {
    return;
  }
  for (Index i = 0; i < rows_.rows; ++i) {
    LinearSample& sample = samples_.data()[i];
    const double wanted = start[i];
    const double top = is_squared(options_.loss) && sample.bound > 0 ? infinity : sample.bound;
    const bool wrong_side = is_hinge(options_.loss) && wanted * sample.target < 0;
    sample.beta = wrong_side ? 0.0 : std::clamp(wanted, -top, top);
    pass_.beta_sum += sample.beta;
  }
  std::vector<double> positive;
  std::vector<double> negative;
  sum_all(positive, negative);
  double squares = intercept_square_ * pass_.beta_sum * pass_.beta_sum;
  for (std::size_t j = 0; j < w_.size(); ++j) {
    w_[j] = positive[j] + negative[j];
    squares += w_[j] * w_[j];
  }
  const SignedDualSums sums = dual_sums(loss_sum(), run_);
  dual_estimate_ =
      sums.positive.linear + sums.negative.linear - sums.positive.quadratic - sums.negative.quadratic - 0.5 * squares;
}

// decisions = X w with the present w; positive and negative = Σ β_i x_i by sign. Every block of rows has sums of its
// own, added in order; there are few blocks where the vectors are long against the rows.
template <class Rows>
void DualDescent<Rows>::sum_all(std::vector<double>& positive, std::vector<double>& negative) {
  const std::size_t columns = w_.size();
  const Index blocks = std::clamp<Index>(rows_.nonzeros() / (8 * std::max<Index>(1, rows_.columns)), 1, 16);
  const Index block = block_count(rows_.rows, blocks);
  // A side of its own only where the sides are scaled apart.
  const std::size_t sides = is_exact() ? 2 : 1;
  std::vector<double> parts(static_cast<std::size_t>(blocks) * sides * columns);
  parallel_for(run_, blocks, [&](Index b) {
    double* const own = parts.data() + static_cast<std::size_t>(b) * sides * columns;
    const RowSums sums{samples_.data(), w_.data(), decisions_.data(), own, own + (sides - 1) * columns};
    const IndexRange range = block_range(rows_.rows, block, b);
    for (Index begin = range.begin; begin < range.end; begin += visits_per_poll) {
      run_.check_stop();
      sum_rows(rows_, sums, {begin, std::min(begin + visits_per_poll, range.end)});
    }
  });
  positive.assign(columns, 0.0);
  negative.assign(columns, 0.0);
  for (std::size_t b = 0; b < static_cast<std::size_t>(blocks); ++b) {
    const double* const own = parts.data() + b * sides * columns;
    for (std::size_t j = 0; j < columns; ++j) {
      positive[j] += own[j];
      negative[j] += sides == 2 ? own[columns + j] : 0.0;
    }
  }
}

// Refills the visiting order with the samples that the present limits do not shrink, by the decision values of the
// last verification. Samples with C = 0 never take part.
template <class Rows>
void DualDescent<Rows>::activate() {
  const bool all = pass_.shrink_zero == infinity && pass_.shrink_top == infinity;
  const bool hinge = is_hinge(options_.loss);
  const double b = intercept();
  Index count = 0;
  for (Index i = 0; i < rows_.rows; ++i) {
    const LinearSample& sample = samples_.data()[i];
    if (sample.bound == 0) {
      continue;
    }
    if (!all) {
      const double residual = sample.target - decisions_.data()[i] - b;
      const double inward = hinge              ? sample.target * residual
                            : sample.beta == 0 ? std::fabs(residual) - options_.epsilon
                                               : std::copysign(1.0, sample.beta) * residual - options_.epsilon;
      const bool at_top = !is_squared(options_.loss) && std::fabs(sample.beta) >= sample.bound;
      if ((sample.beta == 0 && -inward > pass_.shrink_zero) || (at_top && inward > pass_.shrink_top)) {
        continue;
      }
    }
    order_.data()[count++] = static_cast<std::uint32_t>(i);
  }
  pass_.active = count;
}

// What held in the pass before decides what may be left out of the next; a side that met nothing to correct says
// nothing about how far the samples at its bound are from leaving it.
template <class Rows>
void DualDescent<Rows>::set_shrinking(Shrinking shrinking) {
  const bool off = shrinking == Shrinking::off;
  pass_.shrink_zero = off || pass_.decrease <= 0 ? infinity : pass_.decrease;
  pass_.shrink_top = off || pass_.increase <= 0 ? infinity : pass_.increase;
}

// Fisher-Yates with 32 random bits per place, multiplied into the range: the bias of 2^-32 per place is of no concern
// for an order of visits.
template <class Rows>
void DualDescent<Rows>::shuffle_order() {
  std::uint32_t* const order = order_.data();
  std::uint64_t bits = 0;
  for (Index i = pass_.active; i > 1; --i) {
    bits = (i & 1) == 0 || i == pass_.active ? random_.bits() : bits >> 32;
    const auto j = ((bits & 0xffffffffU) * static_cast<std::uint64_t>(i)) >> 32;
    std::swap(order[i - 1], order[j]);
  }
}

// One pass over the order; false if a stop was requested within it.
template <class Rows>
bool DualDescent<Rows>::descend_once() {
  shuffle_order();
  pass_.kept = 0;
  pass_.decrease = 0;
  pass_.increase = 0;
  pass_.gap = 0;
  pass_.gain = 0;
  pass_.changed = 0;
  for (Index begin = 0; begin < pass_.active; begin += visits_per_poll) {
    if (run_.stop_requested()) {
      return false;
    }
    descend(rows_, pass_, {begin, std::min(begin + visits_per_poll, pass_.active)});
  }
  pass_.active = pass_.kept;
  dual_estimate_ += pass_.gain;
  return true;
}

// Primal and dual values over all samples, from w and from β alone; w is then what β says, without the rounding of
// the steps before.
template <class Rows>
void DualDescent<Rows>::verify() {
  std::vector<double> positive;
  std::vector<double> negative;
  sum_all(positive, negative);
  const LossSum sum = loss_sum();
  const SignedDualSums sums = dual_sums(sum, run_);
  const double b = is_exact() ? best_intercept(sum, decisions(), intercept(), run_) : intercept();
  double primal = total_loss(sum, decisions(), b, run_);
  const Balance factors = is_exact() ? balance(sums) : Balance{};
  double dual = factors.positive * (sums.positive.linear - factors.positive * sums.positive.quadratic) +
                factors.negative * (sums.negative.linear - factors.negative * sums.negative.quadratic);
  double weight_squares = 0;
  double dual_squares = 0;
  for (std::size_t j = 0; j < w_.size(); ++j) {
    const double feasible = factors.positive * positive[j] + factors.negative * negative[j];
    weight_squares += w_[j] * w_[j];
    dual_squares += feasible * feasible;
  }
  if (options_.intercept == LinearIntercept::regularized) {
    const double beta_sum = sums.positive.size - sums.negative.size;
    weight_squares += intercept_square_ * pass_.beta_sum * pass_.beta_sum;
    dual_squares += intercept_square_ * beta_sum * beta_sum;
  }
  primal += 0.5 * weight_squares;
  dual -= 0.5 * dual_squares;
  result_.primal = primal;
  result_.dual = dual;
  result_.gap = primal - dual;
  result_.intercept = b;
  result_.weights = w_;
  balance_ = factors;
  dual_estimate_ = dual;
  for (std::size_t j = 0; j < w_.size(); ++j) {
    w_[j] = positive[j] + negative[j];
  }
  pass_.beta_sum = sums.positive.size - sums.negative.size;
}

template <class Rows>
SolveStatus DualDescent<Rows>::iterate() {
  // Ratio of the verified gap to the one that the pass before it met: how far the cheap estimate can be trusted.
  double trust = 0.5;
  double first_gap = 0;
  bool complete = true;  // the order holds every sample
  for (result_.passes = 1;; ++result_.passes) {
    if (result_.passes > options_.max_passes) {
      --result_.passes;
      verify();
      const bool met = result_.gap <= options_.tolerance * result_.primal;
      return met ? SolveStatus::converged : SolveStatus::iteration_limit;
    }
    if (!descend_once()) {
      return SolveStatus::stopped;
    }
    const double unbalance = is_exact() ? std::fabs(pass_.beta_sum) * (target_size_ + std::fabs(intercept())) : 0.0;
    const double gap = pass_.gap + unbalance;
    first_gap = result_.passes == 1 ? gap : first_gap;
    const double wanted = options_.tolerance * std::max(0.0, dual_estimate_ + gap);
    if (first_gap > wanted && gap > 0) {
      run_.progress("linear svm", std::clamp(std::log(first_gap / gap) / std::log(first_gap / wanted), 0.0, 1.0), 1);
    }
    if (trust * gap <= std::max(wanted, rounding * dual_estimate_) || pass_.changed == 0) {
      verify();
      if (result_.gap <= options_.tolerance * result_.primal) {
        return SolveStatus::converged;
      }
      const bool is_fixed = pass_.changed == 0 && complete && !(is_exact() && pass_.beta_sum != 0);
      if (is_fixed || result_.gap <= rounding * result_.primal) {
        return SolveStatus::stalled;
      }
      trust = std::clamp(result_.gap / gap, 0.1, 1.0);
      complete = pass_.changed == 0;
      set_shrinking(complete ? Shrinking::off : Shrinking::on);
      activate();
    } else {
      set_shrinking(Shrinking::on);
      complete = false;
    }
    if (result_.passes % extrapolation_period == 0) {
      dual_estimate_ += extrapolation_.extend(rows_, pass_);
      extrapolation_.remember(rows_, pass_);
    }
    if (is_exact()) {
      pass_.offset += intercept_square_ * pass_.beta_sum;
    }
  }
}

template <class Rows>
void DualDescent<Rows>::finish() {
  for (Index i = 0; i < rows_.rows; ++i) {
    const double beta = samples_.data()[i].beta;
    result_.dual_variables[i] = beta * (beta > 0 ? balance_.positive : beta < 0 ? balance_.negative : 1.0);
  }
}

template <class T>
LinearSvmResult solve_rows(const DenseRows<T>& rows, const LinearProblem& problem, const LinearSvmOptions& options,
                           const Run& run) {
  return DualDescent(DenseAccess<T>(rows), problem, options, run).take_result();
}
template <class T>
LinearSvmResult solve_rows(const SparseRows<T>& rows, const LinearProblem& problem, const LinearSvmOptions& options,
                           const Run& run) {
  return DualDescent(SparseAccess<T>(rows), problem, options, run).take_result();
}

}  // namespace

LinearSvmResult solve_dual(const LinearProblem& problem, const LinearSvmOptions& options, const Run& run) {
  const Samples::Rows& rows = problem.samples.rows();
  if (const auto* dense = std::get_if<DenseRows<float>>(&rows)) {
    const Samples adjacent = dense->column_stride == 1 ? problem.samples : to_dense<float>(problem.samples);
    return solve_rows(adjacent.as<DenseRows<float>>(), problem, options, run);
  }
  if (const auto* dense = std::get_if<DenseRows<double>>(&rows)) {
    const Samples adjacent = dense->column_stride == 1 ? problem.samples : to_dense<double>(problem.samples);
    return solve_rows(adjacent.as<DenseRows<double>>(), problem, options, run);
  }
  if (std::holds_alternative<SparseRows<float>>(rows)) {
    return solve_rows(problem.samples.as<SparseRows<float>>(), problem, options, run);
  }
  return solve_rows(problem.samples.as<SparseRows<double>>(), problem, options, run);
}

}  // namespace mercer::linear
