#include "mercer/solvers/convex/program/optimality.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/solvers/convex/program/constraint_sums.h"
#include "mercer/solvers/convex/program/program_units.h"

namespace mercer {

namespace {

using Reals = std::vector<double>;

double outside(double value, double lower, double upper) { return std::max({lower - value, value - upper, 0.0}); }

void require_fitting_point(const ConvexProgram& program, const ConvexPoint& point) {
  const auto n = static_cast<std::size_t>(program.size());
  if (point.x.size() != n || point.bound_multipliers.size() != n ||
      point.equality_multipliers.size() != static_cast<std::size_t>(program.equality.rows()) ||
      point.range_multipliers.size() != static_cast<std::size_t>(program.range.rows())) {
    throw InvalidArgument(
        "optimality: the point must have one number and one multiplier per variable, and one "
        "multiplier per row of A and of G");
  }
}

class OptimalityCheck {
 public:
  OptimalityCheck(const ConvexProgram& program, const ConvexPoint& point, const Run& run)
      : program_(program),
        point_(point),
        run_(run),
        n_(program.linear.size()),
        units_(units_of(program)),
        quadratic_(n_, 0.0),
        slope_(n_, 0.0) {}

  OptimalityReport report() {
    find_objective();
    find_stationarity();
    find_feasibility();
    find_gap();
    return report_;
  }

 private:
  void find_objective();
  void find_stationarity();
  void find_feasibility();
  void find_gap();

  const ConvexProgram& program_;
  const ConvexPoint& point_;
  const Run& run_;
  std::size_t n_;
  ProgramUnits units_;
  Reals quadratic_;  // Qx
  Reals slope_;      // q'(x)
  Reals equality_;   // Ax
  Reals range_;      // Gx
  double terms_ = 0;
  OptimalityReport report_;
};

void OptimalityCheck::find_objective() {
  if (program_.has_quadratic()) {
    program_.quadratic->multiply(point_.x, quadratic_, run_);
  }
  const double half = 0.5 * dot(point_.x, quadratic_);
  double value = half;
  terms_ = std::abs(half);
  for (std::size_t j = 0; j < n_; ++j) {
    const double linear = program_.linear[j] * point_.x[j];
    value += linear;
    terms_ += std::abs(linear);
    const auto i = static_cast<Index>(j);
    if (program_.separable != nullptr && program_.separable->present(i)) {
      slope_[j] = program_.separable->slope(i, point_.x[j]);
      const double separable = program_.separable->value(i, point_.x[j]);
      value += separable;
      terms_ += std::abs(separable);
    }
  }
  report_.primal = value;
}

void OptimalityCheck::find_stationarity() {
  Reals pull(point_.bound_multipliers);
  add_transposed(program_.equality, point_.equality_multipliers, pull, run_);
  add_transposed(program_.range, point_.range_multipliers, pull, run_);
  Reals sizes(n_, 0.0);
  add_column_sizes(program_.equality, point_.equality_multipliers, sizes);
  add_column_sizes(program_.range, point_.range_multipliers, sizes);
  double residual = 0;
  double unit = units_.slope_floor;
  for (std::size_t j = 0; j < n_; ++j) {
    const double z = point_.bound_multipliers[j];
    const auto i = static_cast<Index>(j);
    residual = std::max({residual, std::abs(quadratic_[j] + program_.linear[j] + slope_[j] - pull[j]),
                         unsupported(z, program_.lower_of(i), program_.upper_of(i))});
    unit = std::max(
        unit, sizes[j] + std::abs(z) + std::abs(quadratic_[j]) + std::abs(program_.linear[j]) + std::abs(slope_[j]));
  }
  for (Index i = 0; i < program_.range.rows(); ++i) {
    residual = std::max(residual, unsupported(point_.range_multipliers[static_cast<std::size_t>(i)],
                                              program_.range_lower_of(i), program_.range_upper_of(i)) *
                                      row_size(program_.range, i));
  }
  report_.stationarity = residual > 0 ? residual / unit : 0.0;
}

void OptimalityCheck::find_feasibility() {
  equality_ = rows_times(program_.equality, point_.x, run_);
  range_ = rows_times(program_.range, point_.x, run_);
  double violation = 0;
  double unit = std::max(largest_size(point_.x), units_.length);
  for (std::size_t i = 0; i < equality_.size(); ++i) {
    const double size = row_size(program_.equality, static_cast<Index>(i));
    violation = std::max(violation, std::abs(equality_[i] - program_.equality_values[i]) / size);
    unit = std::max(unit, std::abs(program_.equality_values[i]) / size);
  }
  for (Index i = 0; i < program_.range.rows(); ++i) {
    const double value = range_[static_cast<std::size_t>(i)];
    const double lower = program_.range_lower_of(i);
    const double upper = program_.range_upper_of(i);
    const double size = row_size(program_.range, i);
    const double out = outside(value, lower, upper);
    violation = std::max(violation, out / size);
    if (out > 0) {
      unit = std::max(unit, std::abs(value < lower ? lower : upper) / size);
    }
  }
  for (Index j = 0; j < program_.size(); ++j) {
    const double value = point_.x[static_cast<std::size_t>(j)];
    const double out = outside(value, program_.lower_of(j), program_.upper_of(j));
    if (out > 0) {
      violation = std::max(violation, out);
      unit = std::max(unit, std::abs(value < program_.lower_of(j) ? program_.lower_of(j) : program_.upper_of(j)));
    }
  }
  report_.feasibility = violation > 0 ? violation / unit : 0.0;
}

void OptimalityCheck::find_gap() {
  double gap = 0;
  double signed_gap = 0;
  const auto add = [&](double multiplier, double value, double lower, double upper) {
    const double bound = multiplier > 0 ? lower : upper;
    if (multiplier != 0 && std::isfinite(bound)) {
      const double product = multiplier * (value - bound);
      signed_gap += product;
      gap += std::abs(product);
      terms_ += std::abs(multiplier * bound);
    }
  };
  for (std::size_t i = 0; i < equality_.size(); ++i) {
    add(point_.equality_multipliers[i], equality_[i], program_.equality_values[i], program_.equality_values[i]);
  }
  for (Index i = 0; i < program_.range.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    add(point_.range_multipliers[at], range_[at], program_.range_lower_of(i), program_.range_upper_of(i));
  }
  for (Index j = 0; j < program_.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    add(point_.bound_multipliers[at], point_.x[at], program_.lower_of(j), program_.upper_of(j));
  }
  report_.dual = report_.primal - signed_gap;
  report_.gap = gap;
  const double unit =
      std::max({std::abs(report_.primal), std::abs(report_.dual), 1e-6 * terms_, units_.objective_floor});
  report_.relative_gap = gap > 0 ? gap / unit : 0.0;
}

}  // namespace

double OptimalityReport::worst() const { return std::max({stationarity, feasibility, relative_gap}); }

OptimalityReport check_optimality(const ConvexProgram& program, const ConvexPoint& point, const Run& run) {
  require_fitting_point(program, point);
  return OptimalityCheck(program, point, run).report();
}

}  // namespace mercer
