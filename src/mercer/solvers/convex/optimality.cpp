#include "mercer/solvers/convex/optimality.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/solvers/convex/row_products.h"

namespace mercer {

namespace {

using Reals = std::vector<double>;

double largest_entry(std::span<const double> values) {
  double size = 0;
  for (const double value : values) {
    size = std::max(size, std::abs(value));
  }
  return size;
}

// What a multiplier times a bound adds to the dual value; 0 where the bound it belongs to does not exist.
double supported(double multiplier, double lower, double upper) {
  const double bound = multiplier > 0 ? lower : upper;
  return multiplier == 0 || !std::isfinite(bound) ? 0.0 : multiplier * bound;
}
double unsupported(double multiplier, double lower, double upper) {
  return std::isfinite(multiplier > 0 ? lower : upper) ? 0.0 : std::abs(multiplier);
}
double outside(double value, double lower, double upper) { return std::max({lower - value, value - upper, 0.0}); }

// Σ |b_ij||y_i| for every column.
void add_column_sizes(ConstMatrixView<double> rows, const Reals& y, Reals& out) {
  for (Index i = 0; i < rows.rows(); ++i) {
    const double weight = std::abs(y[static_cast<std::size_t>(i)]);
    if (weight > 0) {
      const double* row = rows.row_data(i);
      for (std::size_t j = 0; j < out.size(); ++j) {
        out[j] += std::abs(row[j]) * weight;
      }
    }
  }
}

Reals rows_times(ConstMatrixView<double> rows, std::span<const double> x, const Run& run) {
  Reals out(static_cast<std::size_t>(rows.rows()), 0.0);
  if (!rows.empty()) {
    multiply_rows(rows, x, out, run);
  }
  return out;
}
void add_transposed(ConstMatrixView<double> rows, const Reals& y, Reals& out, const Run& run) {
  if (!rows.empty()) {
    Reals product(out.size());
    multiply_rows_transposed(rows, y, product, run);
    axpy(1.0, product, out);
  }
}
double row_size(ConstMatrixView<double> rows, Index i) {
  const double size = largest_entry(rows.row(i));
  return size > 0 ? size : 1.0;
}

void require_fitting_point(const ConvexProgram& program, const ConvexPoint& point) {
  const auto n = static_cast<std::size_t>(program.size());
  if (point.x.size() != n || point.bound_multipliers.size() != n ||
      point.equality_multipliers.size() != static_cast<std::size_t>(program.equality.rows()) ||
      point.range_multipliers.size() != static_cast<std::size_t>(program.range.rows())) {
    throw InvalidArgument("optimality: the point must have one number and one multiplier per variable, and one "
                          "multiplier per row of A and of G");
  }
}

// The unit of x that the data know: the least size of a right side, else of a bound, else of |c|/|Q|, else 1.
double unit_of_data(const ConvexProgram& program, double curvature) {
  const double infinity = std::numeric_limits<double>::infinity();
  double unit = infinity;
  const auto consider = [&](double value, double size) {
    if (value != 0 && std::isfinite(value)) {
      unit = std::min(unit, std::abs(value) / size);
    }
  };
  for (Index i = 0; i < program.equality.rows(); ++i) {
    consider(program.equality_values[static_cast<std::size_t>(i)], row_size(program.equality, i));
  }
  for (Index i = 0; i < program.range.rows(); ++i) {
    consider(program.range_lower_of(i), row_size(program.range, i));
    consider(program.range_upper_of(i), row_size(program.range, i));
  }
  for (Index j = 0; j < program.size(); ++j) {
    consider(program.lower_of(j), 1.0);
    consider(program.upper_of(j), 1.0);
  }
  const double slope = largest_entry(program.linear);
  if (unit == infinity && slope > 0 && curvature > 0) {
    unit = slope / curvature;
  }
  return unit == infinity ? 1.0 : unit;
}

class OptimalityCheck {
 public:
  OptimalityCheck(const ConvexProgram& program, const ConvexPoint& point, const Run& run)
      : program_(program), point_(point), run_(run), n_(program.linear.size()), units_(units_of(program)), quadratic_(n_, 0.0), slope_(n_, 0.0) {}

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
    unit = std::max(unit, sizes[j] + std::abs(z) + std::abs(quadratic_[j]) + std::abs(program_.linear[j]) +
                              std::abs(slope_[j]));
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
  double unit = std::max(largest_entry(point_.x), units_.length);
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
  const double unit = std::max({std::abs(report_.primal), std::abs(report_.dual), 1e-6 * terms_, units_.objective_floor});
  report_.relative_gap = gap > 0 ? gap / unit : 0.0;
}

}  // namespace

ProgramUnits units_of(const ConvexProgram& program) {
  Reals diagonal(program.linear.size(), 0.0);
  if (program.has_quadratic()) {
    program.quadratic->diagonal(diagonal);
  }
  ProgramUnits units;
  units.curvature = largest_entry(diagonal);
  units.slope = largest_entry(program.linear);
  units.length = unit_of_data(program, units.curvature);
  const double slope = std::max(units.slope, units.curvature * units.length);
  units.slope_floor = 1e-6 * (slope > 0 ? slope : 1.0);
  units.objective_floor = units.length * units.slope_floor;
  return units;
}

double OptimalityReport::worst() const { return std::max({stationarity, feasibility, relative_gap}); }

OptimalityReport check_optimality(const ConvexProgram& program, const ConvexPoint& point, const Run& run) {
  require_fitting_point(program, point);
  return OptimalityCheck(program, point, run).report();
}

FarkasReport check_farkas(const ConvexProgram& program, const FarkasCertificate& certificate, const Run& run) {
  const std::size_t n = program.linear.size();
  Reals pull(n, 0.0);
  add_transposed(program.equality, certificate.equality, pull, run);
  add_transposed(program.range, certificate.range, pull, run);
  Reals sizes(n, 0.0);
  add_column_sizes(program.equality, certificate.equality, sizes);
  add_column_sizes(program.range, certificate.range, sizes);
  const double unit = largest_entry(sizes);
  FarkasReport report;
  double terms = 0;
  const auto add = [&](double term) {
    report.margin += term;
    terms += std::abs(term);
  };
  for (std::size_t i = 0; i < certificate.equality.size(); ++i) {
    add(certificate.equality[i] * program.equality_values[i]);
  }
  for (std::size_t i = 0; i < certificate.range.size(); ++i) {
    const auto row = static_cast<Index>(i);
    const double v = certificate.range[i];
    add(supported(v, program.range_lower_of(row), program.range_upper_of(row)));
    if (unsupported(v, program.range_lower_of(row), program.range_upper_of(row)) > 0) {
      report.violation = 1;
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    const auto column = static_cast<Index>(j);
    // The largest of g_j x_j takes the upper bound where g_j > 0.
    const double lower = program.lower_of(column);
    const double upper = program.upper_of(column);
    add(supported(-pull[j], lower, upper));
    report.violation = std::max(report.violation, unsupported(-pull[j], lower, upper) / (unit > 0 ? unit : 1.0));
  }
  report.relative_margin = terms > 0 ? report.margin / terms : 0.0;
  return report;
}

RayReport check_ray(const ConvexProgram& program, std::span<const double> ray, const Run& run) {
  const std::size_t n = program.linear.size();
  const double size = largest_entry(ray);
  RayReport report;
  if (!(size > 0)) {
    report.violation = 1;
    return report;
  }
  double terms = 0;
  const auto leave = [&](double amount) { report.violation = std::max(report.violation, amount / size); };
  for (std::size_t j = 0; j < n; ++j) {
    const auto column = static_cast<Index>(j);
    report.slope += program.linear[j] * ray[j];
    terms += std::abs(program.linear[j] * ray[j]);
    const bool held = program.separable != nullptr && program.separable->present(column);
    leave(held ? std::abs(ray[j]) : std::isfinite(ray[j] > 0 ? program.upper_of(column) : program.lower_of(column)) ? std::abs(ray[j]) : 0.0);
  }
  report.slope = terms > 0 ? report.slope / terms : 0.0;
  const Reals equality = rows_times(program.equality, ray, run);
  for (std::size_t i = 0; i < equality.size(); ++i) {
    leave(std::abs(equality[i]) / row_size(program.equality, static_cast<Index>(i)));
  }
  const Reals range = rows_times(program.range, ray, run);
  for (std::size_t i = 0; i < range.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (std::isfinite(range[i] > 0 ? program.range_upper_of(row) : program.range_lower_of(row))) {
      leave(std::abs(range[i]) / row_size(program.range, row));
    }
  }
  if (program.has_quadratic()) {
    Reals product(n);
    Reals diagonal(n);
    program.quadratic->multiply(ray, product, run);
    program.quadratic->diagonal(diagonal);
    leave(largest_entry(product) / largest_entry(diagonal));
  }
  return report;
}

}  // namespace mercer
