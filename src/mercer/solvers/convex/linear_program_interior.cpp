#include "mercer/solvers/convex/linear_program_interior.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "mercer/linalg/blas.h"
#include "mercer/solvers/convex/linear_program.h"
#include "mercer/solvers/convex/linear_program_system.h"

namespace mercer {

namespace {

using ProgramNumbers = std::vector<double>;

bool all_finite(const ProgramNumbers& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// Mehrotra's correction is tried otherwise where it allows less.
constexpr double least_step = 0.1;

ProgramNumbers zero_numbers(std::size_t count) { return ProgramNumbers(count, 0.0); }

double sum_of_numbers(const ProgramNumbers& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Variables x ≥ 0 with the slacks z ≥ 0 of their dual constraints; x·z goes to 0. In the dual step z moves by −sign·(the
// step of its constraint's value), with `sign` +1 for p and ξ, −1 for q and s.
struct ComplementaryPairs {
  ComplementaryPairs(std::size_t count, double sign_of_step)
      : sign(sign_of_step),
        x(zero_numbers(count)),
        z(zero_numbers(count)),
        x_step(zero_numbers(count)),
        z_step(zero_numbers(count)),
        aim(zero_numbers(count)),
        constant(zero_numbers(count)) {}

  double sign;
  ProgramNumbers x, z, x_step, z_step;
  ProgramNumbers aim;       // of x·z
  ProgramNumbers constant;  // the part of x_step that does not depend on the dual step
  ProgramNumbers lack;      // what z is still off from its constraint's value; empty: nothing

  // `second_order`: how much of the product of the last steps is taken back; nothing of it is looked at for 0.
  void aim_at(double value, double second_order) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      aim[i] = value - (second_order > 0 ? second_order * (x_step[i] * z_step[i]) : 0.0);
      constant[i] = aim[i] / z[i] - x[i];
    }
    for (std::size_t i = 0; i < lack.size(); ++i) {
      constant[i] -= x[i] / z[i] * lack[i];
    }
  }
  void step_along(std::span<const double> move) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      z_step[i] = -sign * move[i];
      x_step[i] = constant[i] - x[i] / z[i] * z_step[i];
    }
    for (std::size_t i = 0; i < lack.size(); ++i) {
      z_step[i] += lack[i];
    }
  }
  bool has_finite_steps() const { return all_finite(x_step) && all_finite(z_step); }
  double product() const { return dot(x, z); }
};

// The largest step ≤ 1 that keeps x + step·direction ≥ 0.
double longest_step(const ProgramNumbers& x, const ProgramNumbers& direction, double bound) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (direction[i] < 0) {
      bound = std::min(bound, -x[i] / direction[i]);
    }
  }
  return bound;
}

double product_after(const ProgramNumbers& x, const ProgramNumbers& x_step, double alpha, const ProgramNumbers& z,
                     const ProgramNumbers& z_step, double beta) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += (x[i] + alpha * x_step[i]) * (z[i] + beta * z_step[i]);
  }
  return sum;
}

class InteriorIteration {
 public:
  InteriorIteration(const ProgramColumns& columns, const CheckLosses& losses, std::span<const double> prices)
      : features_(columns.features),
        unpriced_(columns.unpriced),
        losses_(losses),
        prices_(prices),
        has_offset_(columns.has_offset),
        n_(static_cast<std::size_t>(features_.rows())),
        m_(static_cast<std::size_t>(features_.columns())),
        p_(m_, 1),
        q_(columns.signs == CoefficientSigns::any ? m_ : 0, -1),
        above_(n_, 1),
        below_(n_, -1),
        b_(static_cast<std::size_t>(unpriced_.columns()), 0.0),
        b_step_(b_),
        unpriced_solutions_(b_.size(), ProgramNumbers(n_)),
        system_(features_) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (losses.tube[i] > 0) {
        tube_rows_.push_back(i);
      }
    }
    high_ = ComplementaryPairs(tube_rows_.size(), 1);
    low_ = ComplementaryPairs(tube_rows_.size(), -1);
    start();
  }

  double primal() const {
    return dot(prices_, p_.x) + (has_negative() ? dot(prices_, q_.x) : 0.0) + dot(losses_.up, above_.x) +
           dot(losses_.down, below_.x);
  }
  double complementarity() const {
    return p_.product() + q_.product() + above_.product() + below_.product() + high_.product() + low_.product();
  }
  double residual() const { return largest(residual_); }
  // Of the columns' slacks, relative to their prices.
  double dual_residual() const {
    double result = 0;
    for (std::size_t j = 0; j < p_.lack.size(); ++j) {
      result = std::max(result, std::abs(p_.lack[j]) / prices_[j]);
    }
    return result;
  }
  // |Uᵀθ| relative to the sizes that are added up in it; a start beside an offset alone has none.
  double imbalance() const {
    double result = 0;
    for (std::size_t k = 0; k < b_.size() && b_.size() > (has_offset_ ? 1U : 0U); ++k) {
      double size = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        size += std::abs(unpriced_(static_cast<Index>(i), static_cast<Index>(k)) * theta_[i]);
      }
      result = size > 0 ? std::max(result, std::abs(unpriced_sum(k, theta_)) / size) : result;
    }
    return result;
  }

  // One predictor and corrector step; false where the system cannot be solved or no step is left.
  bool advance(const Run& run);
  InteriorPoint point() const;

 private:
  static double largest(const ProgramNumbers& values) {
    double result = 0;
    for (const double value : values) {
      result = std::max(result, std::abs(value));
    }
    return result;
  }
  bool has_negative() const { return !q_.x.empty(); }
  std::size_t pairs() const { return m_ + q_.x.size() + 2 * (n_ + tube_rows_.size()); }
  bool is_ones(std::size_t k) const { return has_offset_ && k + 1 == b_.size(); }
  ProgramNumbers unpriced_column(std::size_t k) const {
    ProgramNumbers column(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      column[i] = unpriced_(static_cast<Index>(i), static_cast<Index>(k));
    }
    return column;
  }
  double unpriced_sum(std::size_t k, const ProgramNumbers& values) const {
    return is_ones(k) ? sum_of_numbers(values) : dot(unpriced_column(k), values);
  }
  void balance_step();
  void start();
  void start_of_one_sign(double level);
  ProgramNumbers starting_multipliers() const;
  void find_residual();
  void find_direction(double aim, double second_order, const Run& run);
  std::pair<double, double> steps(double bound) const;

  ConstMatrixView<double> features_;
  ConstMatrixView<double> unpriced_;
  const CheckLosses& losses_;
  std::span<const double> prices_;
  bool has_offset_;
  std::size_t n_;
  std::size_t m_;
  std::vector<std::size_t> tube_rows_;
  ComplementaryPairs p_, q_, above_, below_;
  // Of the tube variable v: ε − v and ε + v with their multipliers.
  ComplementaryPairs high_{0, 1}, low_{0, -1};
  ProgramNumbers theta_, theta_step_;
  ProgramNumbers b_, b_step_;
  ProgramNumbers residual_;                      // t − Φ(p − q) − Ub − v − ξ + s
  ProgramNumbers column_freedom_, row_freedom_;  // D, E
  ProgramNumbers tube_freedom_;
  std::vector<ProgramNumbers> unpriced_solutions_;
  ProgramNumbers moves_;
  ProgramSystem system_;
};

// Inside of the dual's box and far inside of the columns' prices, balanced where there is an offset.
ProgramNumbers InteriorIteration::starting_multipliers() const {
  ProgramNumbers theta(n_);
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    theta[i] = losses_.up[i] > 0 && losses_.down[i] > 0 ? 0.0 : (losses_.up[i] - losses_.down[i]) / 2;
    (theta[i] > 0 ? positive : negative) += std::abs(theta[i]);
  }
  if (has_offset_ && positive > 0 && negative > 0) {
    const double least = std::min(positive, negative);
    for (double& value : theta) {
      value *= value > 0 ? least / positive : least / negative;
    }
  }
  if (!has_negative()) {
    return theta;
  }
  ProgramNumbers values(m_);
  gemv(1.0, features_, Transpose::yes, theta, 0.0, values);
  double factor = 1;
  for (std::size_t j = 0; j < m_; ++j) {
    if (std::abs(values[j]) * factor > prices_[j] / 2) {
      factor = prices_[j] / (2 * std::abs(values[j]));
    }
  }
  scale(factor, theta);
  return theta;
}

void InteriorIteration::start() {
  theta_ = starting_multipliers();
  theta_step_ = zero_numbers(n_);
  row_freedom_ = zero_numbers(n_);
  column_freedom_ = zero_numbers(m_);
  tube_freedom_ = zero_numbers(tube_rows_.size());
  moves_ = zero_numbers(m_);
  double middle = 0;
  if (has_offset_) {
    middle = sum_of_numbers(losses_.targets) / static_cast<double>(n_);
    b_.back() = middle;
  }
  double level = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    level += std::abs(losses_.targets[i] - middle) * (losses_.up[i] + losses_.down[i]);
  }
  level /= static_cast<double>(n_);
  gemv(1.0, features_, Transpose::yes, theta_, 0.0, moves_);
  for (std::size_t j = 0; j < m_; ++j) {
    p_.x[j] = level / prices_[j];
    p_.z[j] = prices_[j] - moves_[j];
    if (has_negative()) {
      q_.x[j] = level / prices_[j];
      q_.z[j] = prices_[j] + moves_[j];
    }
  }
  if (!has_negative()) {
    start_of_one_sign(level);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const double r = losses_.targets[i] - middle;
    const double beside = 2 * level / (losses_.up[i] + losses_.down[i]);
    above_.x[i] = std::max(r, 0.0) + beside;
    below_.x[i] = std::max(-r, 0.0) + beside;
    above_.z[i] = losses_.up[i] - theta_[i];
    below_.z[i] = losses_.down[i] + theta_[i];
  }
  for (std::size_t t = 0; t < tube_rows_.size(); ++t) {
    const std::size_t i = tube_rows_[t];
    high_.x[t] = low_.x[t] = losses_.tube[i];
    high_.z[t] = level / losses_.tube[i] + std::max(theta_[i], 0.0);
    low_.z[t] = level / losses_.tube[i] + std::max(-theta_[i], 0.0);
  }
  find_residual();
}

// Without q nothing takes back what a large p says, and a price that is small beside the losses asks for a large one. So
// the slacks start where they are of the size of the losses, and reach their constraints on the way.
void InteriorIteration::start_of_one_sign(double level) {
  p_.lack = zero_numbers(m_);
  for (std::size_t j = 0; j < m_; ++j) {
    double size = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      size += (losses_.up[i] + losses_.down[i]) * std::abs(features_(static_cast<Index>(i), static_cast<Index>(j)));
    }
    p_.z[j] = std::max(prices_[j] - moves_[j], size);
    p_.x[j] = level / p_.z[j];
    p_.lack[j] = prices_[j] - moves_[j] - p_.z[j];
  }
}

void InteriorIteration::find_residual() {
  residual_ = losses_.targets;
  ProgramNumbers a(m_);
  for (std::size_t j = 0; j < m_; ++j) {
    a[j] = p_.x[j] - (has_negative() ? q_.x[j] : 0.0);
  }
  gemv(-1.0, features_, Transpose::no, a, 1.0, residual_);
  for (std::size_t i = 0; i < n_; ++i) {
    residual_[i] -= (has_offset_ ? b_.back() : 0.0) + above_.x[i] - below_.x[i];
  }
  for (std::size_t k = 0; k < b_.size(); ++k) {
    if (!is_ones(k)) {
      axpy(-b_[k], unpriced_column(k), residual_);
    }
  }
  for (std::size_t t = 0; t < tube_rows_.size(); ++t) {
    residual_[tube_rows_[t]] -= (low_.x[t] - high_.x[t]) / 2;
  }
}

void InteriorIteration::find_direction(double aim, double second_order, const Run& run) {
  for (ComplementaryPairs* pair : {&p_, &q_, &above_, &below_, &high_, &low_}) {
    pair->aim_at(aim, second_order);
  }
  ProgramNumbers right = residual_;
  ProgramNumbers difference(m_);
  for (std::size_t j = 0; j < m_; ++j) {
    difference[j] = p_.constant[j] - (has_negative() ? q_.constant[j] : 0.0);
  }
  gemv(-1.0, features_, Transpose::no, difference, 1.0, right);
  for (std::size_t i = 0; i < n_; ++i) {
    right[i] -= above_.constant[i] - below_.constant[i];
  }
  ProgramNumbers constants(tube_rows_.size());
  for (std::size_t t = 0; t < tube_rows_.size(); ++t) {
    // The multipliers' own steps, without the part that follows v.
    const double high = high_.aim[t] / high_.x[t] - high_.z[t];
    const double low = low_.aim[t] / low_.x[t] - low_.z[t];
    constants[t] = theta_[tube_rows_[t]] - high_.z[t] + low_.z[t] - high + low;
    right[tube_rows_[t]] -= tube_freedom_[t] * constants[t];
  }
  system_.solve(right, theta_step_, run);
  balance_step();
  gemv(1.0, features_, Transpose::yes, theta_step_, 0.0, moves_);
  p_.step_along(moves_);
  q_.step_along(moves_);
  above_.step_along(theta_step_);
  below_.step_along(theta_step_);
  for (std::size_t t = 0; t < tube_rows_.size(); ++t) {
    const double v_step = tube_freedom_[t] * (theta_step_[tube_rows_[t]] + constants[t]);
    high_.x_step[t] = -v_step;
    low_.x_step[t] = v_step;
    high_.z_step[t] = high_.aim[t] / high_.x[t] - high_.z[t] + high_.z[t] / high_.x[t] * v_step;
    low_.z_step[t] = low_.aim[t] / low_.x[t] - low_.z[t] - low_.z[t] / low_.x[t] * v_step;
  }
}

// The steps of b: those after which Uᵀθ = 0.
void InteriorIteration::balance_step() {
  const std::size_t q = b_.size();
  if (q == 1) {
    b_step_[0] =
        (unpriced_sum(0, theta_step_) + unpriced_sum(0, theta_)) / unpriced_sum(0, unpriced_solutions_.front());
  } else if (q > 1) {
    const auto order = static_cast<Eigen::Index>(q);
    Eigen::MatrixXd products(order, order);
    Eigen::VectorXd sums(order);
    for (std::size_t k = 0; k < q; ++k) {
      for (std::size_t l = 0; l < q; ++l) {
        products(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(l)) = unpriced_sum(k, unpriced_solutions_[l]);
      }
      sums(static_cast<Eigen::Index>(k)) = unpriced_sum(k, theta_step_) + unpriced_sum(k, theta_);
    }
    const Eigen::VectorXd step = products.ldlt().solve(sums);
    std::copy(step.begin(), step.end(), b_step_.begin());
  }
  for (std::size_t k = 0; k < q; ++k) {
    axpy(-b_step_[k], unpriced_solutions_[k], theta_step_);
  }
}

std::pair<double, double> InteriorIteration::steps(double bound) const {
  double primal_step = bound;
  double dual_step = bound;
  for (const ComplementaryPairs* pair : {&p_, &q_, &above_, &below_, &high_, &low_}) {
    primal_step = longest_step(pair->x, pair->x_step, primal_step);
    dual_step = longest_step(pair->z, pair->z_step, dual_step);
  }
  return {primal_step, dual_step};
}

bool InteriorIteration::advance(const Run& run) {
  for (std::size_t j = 0; j < m_; ++j) {
    column_freedom_[j] = p_.x[j] / p_.z[j] + (has_negative() ? q_.x[j] / q_.z[j] : 0.0);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    row_freedom_[i] = above_.x[i] / above_.z[i] + below_.x[i] / below_.z[i];
  }
  for (std::size_t t = 0; t < tube_rows_.size(); ++t) {
    tube_freedom_[t] = 1 / (high_.z[t] / high_.x[t] + low_.z[t] / low_.x[t]);
    row_freedom_[tube_rows_[t]] += tube_freedom_[t];
  }
  // Nothing that is not finite is put in order or solved.
  if (!all_finite(column_freedom_) || !all_finite(row_freedom_) ||
      !system_.factorize(column_freedom_, row_freedom_, run)) {
    return false;
  }
  for (std::size_t k = 0; k < b_.size(); ++k) {
    system_.solve(unpriced_column(k), unpriced_solutions_[k], run);
  }
  const double mean = complementarity() / static_cast<double>(pairs());
  find_direction(0, 0, run);
  const auto [primal_reach, dual_reach] = steps(1.0);
  double reached = 0;
  for (const ComplementaryPairs* pair : {&p_, &q_, &above_, &below_, &high_, &low_}) {
    reached += product_after(pair->x, pair->x_step, primal_reach, pair->z, pair->z_step, dual_reach);
  }
  const double ratio = reached / static_cast<double>(pairs()) / mean;
  const double cubed = ratio * ratio * ratio;
  find_direction(cubed * mean, 1, run);
  auto [primal_limit, dual_limit] = steps(1e30);
  if (std::min(primal_limit, dual_limit) < least_step) {
    // The second order is that of a whole step: where the predictor reached little of it, so much is taken back.
    find_direction(0, 0, run);
    find_direction(std::max(0.1, cubed) * mean, primal_reach * dual_reach, run);
    std::tie(primal_limit, dual_limit) = steps(1e30);
  }
  const double primal_step = std::min(1.0, 0.995 * primal_limit);
  const double dual_step = std::min(1.0, 0.995 * dual_limit);
  const std::array<const ComplementaryPairs*, 6> all = {&p_, &q_, &above_, &below_, &high_, &low_};
  const bool is_finite = all_finite(theta_step_) && all_finite(b_step_) &&
                         std::all_of(all.begin(), all.end(), [](const auto* pair) { return pair->has_finite_steps(); });
  if (!is_finite || !(std::max(primal_step, dual_step) > 1e-10)) {
    return false;
  }
  for (ComplementaryPairs* pair : {&p_, &q_, &above_, &below_, &high_, &low_}) {
    axpy(primal_step, pair->x_step, pair->x);
    axpy(dual_step, pair->z_step, pair->z);
  }
  axpy(primal_step, b_step_, b_);
  axpy(dual_step, theta_step_, theta_);
  scale(1 - dual_step, p_.lack);
  find_residual();
  return true;
}

InteriorPoint InteriorIteration::point() const {
  return {.positive = p_.x,
          .negative = has_negative() ? q_.x : zero_numbers(m_),
          .positive_slack = p_.z,
          .negative_slack = has_negative() ? q_.z : ProgramNumbers(m_, 1.0),
          .unpriced = b_,
          .multipliers = theta_,
          .row_freedom = row_freedom_};
}

}  // namespace

InteriorPoint interior_point(const ProgramColumns& columns, const CheckLosses& losses, std::span<const double> prices,
                             double tolerance, Index max_iterations, const Run& run) {
  InteriorIteration iteration(columns, losses, prices);
  double size = 0;
  for (const double target : losses.targets) {
    size = std::max(size, std::abs(target));
  }
  const double first = iteration.primal();
  double best = iteration.complementarity();
  // The nearest to an optimum by all that it lacks: rounding can lead away again.
  InteriorPoint nearest = iteration.point();
  double least_lack = std::numeric_limits<double>::infinity();
  Index since_best = 0;
  SolveStatus status = SolveStatus::iteration_limit;
  Index done = 0;
  for (; done < max_iterations; ++done) {
    run.check_stop();
    const double gap = iteration.complementarity();
    const double lack = std::max(
        {gap / iteration.primal(), iteration.residual() / size, iteration.imbalance(), iteration.dual_residual()});
    if (lack < least_lack) {
      least_lack = lack;
      nearest = iteration.point();
    }
    if (gap <= tolerance * (iteration.primal() + 1e-9 * first) && iteration.residual() <= 1e-9 * size &&
        iteration.imbalance() <= 1e-12 && iteration.dual_residual() <= 1e-9) {
      nearest = iteration.point();
      status = SolveStatus::converged;
      break;
    }
    since_best = gap < 0.9 * best ? 0 : since_best + 1;
    best = std::min(best, gap);
    const bool is_beyond = gap < 1e-6 * tolerance * iteration.primal() && lack > 1e3 * least_lack;
    if (since_best > 15 || is_beyond || !iteration.advance(run)) {
      status = SolveStatus::stalled;
      break;
    }
  }
  nearest.status = status;
  nearest.iterations = done;
  return nearest;
}

}  // namespace mercer
