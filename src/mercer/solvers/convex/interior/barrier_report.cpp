// What a state of an interior point method (barrier_state.h) says of itself: residuals, the point in the programme's terms,
// and the units in which it counts.
#include <algorithm>
#include <cmath>

#include "mercer/linalg/blas.h"
#include "mercer/solvers/convex/interior/barrier_state.h"

namespace mercer {

double BarrierResiduals::worst() const { return std::max({feasibility, stationarity, gap}); }

BarrierResiduals BarrierState::residuals() const {
  BarrierResiduals out;
  std::vector<double> slope(n_ + w_.size());
  std::vector<double> sizes(slope.size());
  for (std::size_t j = 0; j < n_; ++j) {
    slope[j] = fixed_[j] ? 0.0 : gradient_[j] - pull_[j];
    sizes[j] = std::max({std::abs(gradient_[j]), std::abs(pull_[j]), std::abs(program_.linear[j])});
  }
  double violation = 0;
  double length = std::max({largest_size(x_), largest_size(rows_.values()), units_.length});
  for (std::size_t i = 0; i < y_.size(); ++i) {
    if (i < equalities_) {
      violation = std::max(violation, std::abs(rows_.values()[i] - reached_[i]));
    } else {
      slope[n_ + i - equalities_] = y_[i];
      sizes[n_ + i - equalities_] = std::abs(y_[i]);
      violation = std::max(violation, std::abs(w_[i - equalities_] - reached_[i]));
      length = std::max(length, std::abs(w_[i - equalities_]));
    }
  }
  for (const BoundSide* side : {&lower_, &upper_}) {
    for (std::size_t k = 0; k < side->at.size(); ++k) {
      slope[side->at[k]] -= side->sign * side->multiplier[k];
      sizes[side->at[k]] = std::max(sizes[side->at[k]], side->multiplier[k]);
    }
  }
  const double residual = largest_size(slope);
  out.stationarity = residual > 0 ? residual / std::max(largest_size(sizes), units_.slope_floor) : 0.0;
  out.slope = residual;
  out.violation = violation;
  out.feasibility = violation > 0 ? violation / length : 0.0;
  const double total = products();
  const double unit =
      std::max({std::abs(objective_), std::abs(objective_ - total), 1e-6 * terms_, units_.objective_floor});
  out.gap = total > 0 ? total / unit : 0.0;
  return out;
}

// As units_of(), in the units of the columns.
void BarrierState::find_units() {
  const std::vector<double>& sizes = rows_.column_sizes();
  double length = std::numeric_limits<double>::infinity();
  const auto consider = [&](double value) {
    if (value != 0 && std::isfinite(value)) {
      length = std::min(length, std::abs(value));
    }
  };
  for (const std::vector<double>* bounds : {&rows_.values(), &rows_.lower(), &rows_.upper()}) {
    for (const double bound : *bounds) {
      consider(bound);
    }
  }
  std::vector<double> diagonal(n_, 0.0);
  if (!quadratic_.is_zero()) {
    quadratic_.diagonal(diagonal);
  }
  double slope = 0;
  for (std::size_t j = 0; j < n_; ++j) {
    consider(program_.lower_of(static_cast<Index>(j)) * sizes[j]);
    consider(program_.upper_of(static_cast<Index>(j)) * sizes[j]);
    slope = std::max(slope, std::abs(program_.linear[j]) / sizes[j]);
    curvature_ = std::max(curvature_, diagonal[j] / (sizes[j] * sizes[j]));
  }
  if (!std::isfinite(length)) {
    length = slope > 0 && curvature_ > 0 ? slope / curvature_ : 1.0;
  }
  length_ = length;
}

ConvexPoint BarrierState::point() const {
  ConvexPoint point{x_, std::vector<double>(static_cast<std::size_t>(program_.equality.rows()), 0.0),
                    std::vector<double>(static_cast<std::size_t>(program_.range.rows()), 0.0),
                    std::vector<double>(n_, 0.0)};
  rows_.write_multipliers(y_, point.equality_multipliers, point.range_multipliers);
  std::vector<double> own(n_, 0.0);       // z_l − z_u
  std::vector<double> products(n_, 0.0);  // of these
  for (const BoundSide* side : {&lower_, &upper_}) {
    for (std::size_t k = 0; k < side->at.size() && side->at[k] < n_; ++k) {
      own[side->at[k]] += side->sign * side->multiplier[k];
      products[side->at[k]] += side->multiplier[k] * side->slack[k];
    }
  }
  for (std::size_t j = 0; j < n_; ++j) {
    const auto [lower, upper] = bounds_of(j);
    point.x[j] = std::clamp(point.x[j], lower, upper);
    const double asked = gradient_[j] - pull_[j];
    const double bound = asked > 0 ? lower : upper;
    const bool usable = std::isfinite(bound) && (fixed_[j] || std::abs(asked * (x_[j] - bound)) <= 2 * products[j]);
    point.bound_multipliers[j] = usable ? asked : own[j];
  }
  return point;
}

FarkasCertificate BarrierState::certificate() const {
  FarkasCertificate certificate{std::vector<double>(static_cast<std::size_t>(program_.equality.rows()), 0.0),
                                std::vector<double>(static_cast<std::size_t>(program_.range.rows()), 0.0)};
  std::vector<double> multipliers(y_);
  const double largest = largest_size(y_);
  if (largest > 0 && std::isfinite(largest)) {
    scale(1 / largest, multipliers);
  }
  rows_.write_multipliers(multipliers, certificate.equality, certificate.range);
  return certificate;
}

}  // namespace mercer
