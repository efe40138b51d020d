// Where an interior point method starts (barrier_state.h): the minimum of the objective with a quadratic price on the
// distance from a point inside of the bounds, under the equalities, and with a price on ranges; then moved inside of all
// bounds by as much as it is outside of any. The units are those of the data, so that the start follows them.
// References: Mehrotra (1992), section 7; Schölkopf & Smola (2002), 6.4.2 step 1.
#include <algorithm>
#include <cmath>

#include "mercer/solvers/convex/interior/barrier_state.h"
#include "mercer/solvers/convex/program/row_products.h"

namespace mercer {

namespace {

// The point of [lower + margin, upper − margin] next to `value`; the margin is at most a share of the width.
double pushed_inside(double value, double lower, double upper, double margin) {
  const double width = upper - lower;
  const double room = std::isfinite(width) ? std::min(margin, 0.25 * width) : margin;
  return std::min(std::max(value, lower + room), upper - room);
}

double distance_outside(double value, double lower, double upper) {
  return std::isfinite(lower) || std::isfinite(upper) ? std::max({lower - value, value - upper, 0.0}) : 0.0;
}

}  // namespace

void BarrierState::place(std::size_t variable, double value, double lower, double upper, double inside) {
  const double width = upper - lower;
  const double least = std::min(inside, std::isfinite(width) ? 0.25 * width : inside);
  const double moved = pushed_inside(value, lower, upper, inside);
  (variable < n_ ? x_[variable] : w_[variable - n_]) = moved;
  // Near a bound of large size the difference may round to nothing.
  if (std::isfinite(lower)) {
    lower_.add(variable, std::max(moved - lower, least));
  }
  if (std::isfinite(upper)) {
    upper_.add(variable, std::max(upper - moved, least));
  }
}

void BarrierState::place_all(const std::vector<double>& x, double inside) {
  for (std::size_t j = 0; j < n_; ++j) {
    const auto [lower, upper] = bounds_of(j);
    if (fixed_[j]) {
      x_[j] = lower;
    } else {
      place(j, x[j], lower, upper, inside / rows_.column_sizes()[j]);
    }
  }
}

// z of the slope's sign at the start, and of no bound less than a typical one.
void BarrierState::start_multipliers(double least, double inside) {
  std::vector<double> slope(n_ + w_.size());
  double sum = 0;
  for (std::size_t j = 0; j < n_; ++j) {
    slope[j] = fixed_[j] ? 0.0 : (gradient_[j] - pull_[j]) / rows_.column_sizes()[j];
    sum += std::abs(slope[j]);
  }
  for (std::size_t i = 0; i < w_.size(); ++i) {
    slope[n_ + i] = y_[equalities_ + i];
    sum += std::abs(slope[n_ + i]);
  }
  least = std::max(least, slope.empty() ? 0.0 : sum / static_cast<double>(slope.size()));
  for (BoundSide* side : {&lower_, &upper_}) {
    for (std::size_t k = 0; k < side->at.size(); ++k) {
      const double size = side->at[k] < n_ ? rows_.column_sizes()[side->at[k]] : 1.0;
      // The same product for all: a narrow interval would be left by the first step.
      const double narrow = inside / (side->slack[k] * size);
      side->multiplier[k] = (std::max(side->sign * slope[side->at[k]], 0.0) + least * std::max(1.0, narrow)) * size;
    }
  }
}

void BarrierState::start(NewtonSystem& system, const Run& run) {
  const std::vector<double>& sizes = rows_.column_sizes();
  const double length = length_;
  double slope = 0;
  for (std::size_t j = 0; j < n_; ++j) {
    slope = std::max(slope, std::abs(program_.linear[j]) / sizes[j]);
  }
  const double curvature = curvature_ > 0 ? curvature_ : (slope > 0 ? slope : 1.0) / length;
  std::vector<double> stiffness(n_);
  std::vector<double> base(n_);
  for (std::size_t j = 0; j < n_; ++j) {
    const auto [lower, upper] = bounds_of(j);
    base[j] = fixed_[j] ? lower : pushed_inside(0.0, lower, upper, length / sizes[j]);
    stiffness[j] = fixed_[j] ? std::numeric_limits<double>::infinity() : curvature * sizes[j] * sizes[j];
  }
  softness_.assign(w_.size(), 1 / curvature);
  x_ = base;
  refresh(run);
  system.factorize(stiffness, softness_, curvature, run);
  std::vector<double> right(n_);
  for (std::size_t j = 0; j < n_; ++j) {
    right[j] = -gradient_[j];
  }
  std::vector<double> missing(y_.size());
  for (std::size_t i = 0; i < y_.size(); ++i) {
    missing[i] =
        (i < equalities_ ? rows_.values()[i]
                         : std::clamp(reached_[i], rows_.lower()[i - equalities_], rows_.upper()[i - equalities_])) -
        reached_[i];
  }
  const std::span<double> steps(step_);
  system.solve(right, missing, steps.first(n_), y_, NewtonSystem::Refinement::none, run);
  std::vector<double> x(n_);
  double outside = 0;
  for (std::size_t j = 0; j < n_; ++j) {
    x[j] = base[j] + step_[j];
    if (!fixed_[j]) {
      const auto [lower, upper] = bounds_of(j);
      outside = std::max(outside, distance_outside(x[j], lower, upper) * sizes[j]);
    }
  }
  const double inside = std::max(1.5 * outside, 0.1 * length);
  place_all(x, inside);
  refresh(run);
  for (std::size_t i = 0; i < w_.size(); ++i) {
    const auto [lower, upper] = bounds_of(n_ + i);
    place(n_ + i, reached_[equalities_ + i], lower, upper, inside);
  }
  start_multipliers(0.1 * curvature * length, inside);
}

}  // namespace mercer
