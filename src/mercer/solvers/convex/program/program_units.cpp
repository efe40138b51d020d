#include "mercer/solvers/convex/program/program_units.h"

#include <algorithm>
#include <cmath>

#include "mercer/solvers/convex/program/constraint_sums.h"

namespace mercer {

namespace {

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
  const double slope = largest_size(program.linear);
  if (unit == infinity && slope > 0 && curvature > 0) {
    unit = slope / curvature;
  }
  return unit == infinity ? 1.0 : unit;
}

}  // namespace

double largest_size(std::span<const double> values) {
  double size = 0;
  for (const double value : values) {
    size = std::max(size, std::abs(value));
  }
  return size;
}

ProgramUnits units_of(const ConvexProgram& program) {
  std::vector<double> diagonal(program.linear.size(), 0.0);
  if (program.has_quadratic()) {
    program.quadratic->diagonal(diagonal);
  }
  ProgramUnits units;
  units.curvature = largest_size(diagonal);
  units.slope = largest_size(program.linear);
  units.length = unit_of_data(program, units.curvature);
  const double slope = std::max(units.slope, units.curvature * units.length);
  units.slope_floor = 1e-6 * (slope > 0 ? slope : 1.0);
  units.objective_floor = units.length * units.slope_floor;
  return units;
}

}  // namespace mercer
