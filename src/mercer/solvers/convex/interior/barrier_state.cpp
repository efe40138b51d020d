#include "mercer/solvers/convex/interior/barrier_state.h"

#include <algorithm>
#include <cmath>

#include "mercer/linalg/blas.h"
#include "mercer/solvers/convex/program/row_products.h"

namespace mercer {

namespace {

double reach_of(std::span<const double> values, std::span<const double> steps, double bound) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] + bound * steps[i] < 0) {
      bound = std::max(0.0, -values[i] / steps[i]);
    }
  }
  return bound;
}

}  // namespace

BarrierState::BarrierState(const ConvexProgram& program, const QuadraticTerm& quadratic, const ProgramRows& rows)
    : program_(program),
      quadratic_(quadratic),
      rows_(rows),
      units_(units_of(program)),
      n_(program.linear.size()),
      equalities_(static_cast<std::size_t>(rows.equalities())),
      x_(n_, 0.0),
      w_(static_cast<std::size_t>(rows.ranges()), 0.0),
      y_(static_cast<std::size_t>(rows.count()), 0.0),
      fixed_(n_, false),
      gradient_(n_, 0.0),
      pull_(n_, 0.0),
      reached_(y_.size(), 0.0),
      row_sizes_(y_.size(), 0.0),
      softness_(w_.size(), 0.0),
      step_(n_ + w_.size(), 0.0),
      y_step_(y_.size(), 0.0) {
  upper_.sign = -1;
  for (std::size_t j = 0; j < n_; ++j) {
    fixed_[j] = program.lower_of(static_cast<Index>(j)) == program.upper_of(static_cast<Index>(j));
  }
  find_units();
}

std::pair<double, double> BarrierState::bounds_of(std::size_t variable) const {
  if (variable < n_) {
    return {program_.lower_of(static_cast<Index>(variable)), program_.upper_of(static_cast<Index>(variable))};
  }
  return {rows_.lower()[variable - n_], rows_.upper()[variable - n_]};
}

double BarrierState::mean_of_barrier(double mu) const {
  double sum = 0;
  for (const BoundSide* side : {&lower_, &upper_}) {
    for (const double slack : side->slack) {
      sum -= mu * std::log(slack);
    }
  }
  return sum;
}

void BarrierState::refresh(const Run& run) {
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  if (!quadratic_.is_zero()) {
    quadratic_.multiply(x_, gradient_, run);
  }
  const double half = 0.5 * dot(x_, gradient_);
  objective_ = half;
  terms_ = std::abs(half);
  for (std::size_t j = 0; j < n_; ++j) {
    const double linear = program_.linear[j] * x_[j];
    objective_ += linear;
    terms_ += std::abs(linear);
    gradient_[j] += program_.linear[j];
    const auto i = static_cast<Index>(j);
    if (program_.separable != nullptr && program_.separable->present(i)) {
      const double value = program_.separable->value(i, x_[j]);
      objective_ += value;
      terms_ += std::abs(value);
      gradient_[j] += program_.separable->slope(i, x_[j]);
    }
  }
  if (!y_.empty()) {
    multiply_rows_transposed(rows_.rows(), y_, pull_, run);
    multiply_rows(rows_.rows(), x_, reached_, run);
    find_row_sizes();
  }
}

void BarrierState::find_row_sizes() {
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double* row = rows_.rows().row_data(static_cast<Index>(i));
    double size = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      size += std::abs(row[j] * x_[j]);
    }
    row_sizes_[i] = size;
  }
}

double BarrierState::scaled_size(std::span<const double> x) const {
  double size = 0;
  for (std::size_t j = 0; j < n_; ++j) {
    size = std::max(size, std::abs(x[j]) * rows_.column_sizes()[j]);
  }
  return size;
}

void BarrierState::factorize(NewtonSystem& system, const Run& run) {
  std::vector<double> stiffness(n_ + w_.size(), 0.0);
  for (const BoundSide* side : {&lower_, &upper_}) {
    for (std::size_t k = 0; k < side->at.size(); ++k) {
      stiffness[side->at[k]] += side->multiplier[k] / side->slack[k];
    }
  }
  for (std::size_t i = 0; i < w_.size(); ++i) {
    softness_[i] = 1 / stiffness[n_ + i];
  }
  stiffness.resize(n_);
  for (std::size_t j = 0; j < n_; ++j) {
    const auto i = static_cast<Index>(j);
    if (fixed_[j]) {
      stiffness[j] = std::numeric_limits<double>::infinity();
    } else if (program_.separable != nullptr && program_.separable->present(i)) {
      // Not at 0 itself, where the curvature of a power is 0 or infinite and says nothing.
      const double least = 1e-8 * length_ / rows_.column_sizes()[j];
      stiffness[j] += program_.separable->curvature(i, std::abs(x_[j]) < least ? std::copysign(least, x_[j]) : x_[j]);
    }
  }
  // What is added to the diagonal is small beside Q, or where there is none beside a slope over a length.
  const double length = std::max(scaled_size(x_), length_);
  double slope = 0;
  for (std::size_t j = 0; j < n_; ++j) {
    slope = std::max(slope, std::abs(gradient_[j]) / rows_.column_sizes()[j]);
  }
  const double unit = curvature_ > 0 ? curvature_ : slope / length;
  system.factorize(stiffness, softness_, unit > 0 ? unit : 1 / length, run);
}

void BarrierState::aim_at(double mean, double second_order) {
  lower_.aim_at(mean, second_order);
  upper_.aim_at(mean, second_order);
}

void BarrierState::aim_at_centre(double primal, double dual, double mean) {
  lower_.draw_in(primal, dual, 0.1 * mean, 10 * mean);
  upper_.draw_in(primal, dual, 0.1 * mean, 10 * mean);
}

BarrierState::Step BarrierState::last_step() const {
  return {step_,      y_step_,   lower_.slack_step, lower_.multiplier_step, upper_.slack_step, upper_.multiplier_step,
          lower_.aim, upper_.aim};
}

void BarrierState::restore(Step step) {
  step_ = std::move(step.x);
  y_step_ = std::move(step.y);
  lower_.slack_step = std::move(step.lower_slack);
  lower_.multiplier_step = std::move(step.lower_multiplier);
  upper_.slack_step = std::move(step.upper_slack);
  upper_.multiplier_step = std::move(step.upper_multiplier);
  lower_.aim = std::move(step.lower_aim);
  upper_.aim = std::move(step.upper_aim);
}

void BarrierState::find_step(NewtonSystem& system, NewtonSystem::Refinement refinement, const Run& run) {
  std::vector<double> right(n_ + w_.size());
  for (std::size_t j = 0; j < n_; ++j) {
    right[j] = pull_[j] - gradient_[j];
  }
  for (std::size_t i = 0; i < w_.size(); ++i) {
    right[n_ + i] = -y_[equalities_ + i];
  }
  for (BoundSide* side : {&lower_, &upper_}) {
    for (std::size_t k = 0; k < side->at.size(); ++k) {
      right[side->at[k]] += side->sign * side->aim[k] / side->slack[k];
    }
  }
  std::vector<double> missing(y_.size());
  // What is only rounding stays: rows that depend on each other cannot all be met to the last bit, and a stiff one would
  // try with a large multiplier.
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const bool range = i >= equalities_;
    const double distance = (range ? w_[i - equalities_] : rows_.values()[i]) - reached_[i];
    missing[i] = std::abs(distance) > 2e-15 * row_sizes_[i] ? distance : 0.0;
    if (range) {
      missing[i] += softness_[i - equalities_] * right[n_ + i - equalities_];
    }
  }
  const std::span<double> steps(step_);
  system.solve(std::span<const double>(right).first(n_), missing, steps.first(n_), y_step_, refinement, run);
  for (std::size_t i = 0; i < w_.size(); ++i) {
    step_[n_ + i] = softness_[i] * (right[n_ + i] - y_step_[equalities_ + i]);
  }
  lower_.step_along(step_);
  upper_.step_along(step_);
}

std::pair<double, double> BarrierState::reach(double bound) const {
  double primal = bound;
  double dual = bound;
  for (const BoundSide* side : {&lower_, &upper_}) {
    primal = reach_of(side->slack, side->slack_step, primal);
    dual = reach_of(side->multiplier, side->multiplier_step, dual);
  }
  return {primal, dual};
}

double BarrierState::products_after(double primal, double dual) const {
  double sum = 0;
  for (const BoundSide* side : {&lower_, &upper_}) {
    for (std::size_t k = 0; k < side->at.size(); ++k) {
      sum += (side->slack[k] + primal * side->slack_step[k]) * (side->multiplier[k] + dual * side->multiplier_step[k]);
    }
  }
  return sum;
}

void BarrierState::advance(double primal, double dual, const Run& run) {
  for (std::size_t j = 0; j < n_; ++j) {
    x_[j] += primal * step_[j];
  }
  for (std::size_t i = 0; i < w_.size(); ++i) {
    w_[i] += primal * step_[n_ + i];
  }
  axpy(dual, y_step_, y_);
  for (BoundSide* side : {&lower_, &upper_}) {
    axpy(primal, side->slack_step, side->slack);
    axpy(dual, side->multiplier_step, side->multiplier);
  }
  settle_at_bounds();
  refresh(run);
}

// x and w keep the rounding of where they came from, which near a bound is more than the slack: the slack counts, so that
// products of x with its multipliers fall as those of the slacks do.
void BarrierState::settle_at_bounds() {
  for (const BoundSide* side : {&lower_, &upper_}) {
    for (std::size_t k = 0; k < side->at.size(); ++k) {
      const std::size_t at = side->at[k];
      const auto [lower, upper] = bounds_of(at);
      const double bound = side == &lower_ ? lower : upper;
      double& value = at < n_ ? x_[at] : w_[at - n_];
      if (std::abs(value - bound) < 0.5 * (upper - lower)) {
        value = bound + side->sign * side->slack[k];
      }
    }
  }
}

void BarrierState::set_multipliers(double mu) {
  for (BoundSide* side : {&lower_, &upper_}) {
    for (std::size_t k = 0; k < side->at.size(); ++k) {
      side->multiplier[k] = mu / side->slack[k];
    }
  }
}

bool BarrierState::is_finite() const {
  return std::isfinite(largest_size(step_) + largest_size(y_step_)) && std::isfinite(dot(step_, step_));
}

}  // namespace mercer
