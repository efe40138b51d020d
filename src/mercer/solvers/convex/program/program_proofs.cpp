#include "mercer/solvers/convex/program/program_proofs.h"

#include <algorithm>
#include <cmath>

#include "mercer/solvers/convex/program/constraint_sums.h"
#include "mercer/solvers/convex/program/program_units.h"

namespace mercer {

FarkasReport check_farkas(const ConvexProgram& program, const FarkasCertificate& certificate, const Run& run) {
  const std::size_t n = program.linear.size();
  std::vector<double> pull(n, 0.0);
  add_transposed(program.equality, certificate.equality, pull, run);
  add_transposed(program.range, certificate.range, pull, run);
  std::vector<double> sizes(n, 0.0);
  add_column_sizes(program.equality, certificate.equality, sizes);
  add_column_sizes(program.range, certificate.range, sizes);
  const double unit = largest_size(sizes);
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
  const double size = largest_size(ray);
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
    leave(held                                                                              ? std::abs(ray[j])
          : std::isfinite(ray[j] > 0 ? program.upper_of(column) : program.lower_of(column)) ? std::abs(ray[j])
                                                                                            : 0.0);
  }
  report.slope = terms > 0 ? report.slope / terms : 0.0;
  const std::vector<double> equality = rows_times(program.equality, ray, run);
  for (std::size_t i = 0; i < equality.size(); ++i) {
    leave(std::abs(equality[i]) / row_size(program.equality, static_cast<Index>(i)));
  }
  const std::vector<double> range = rows_times(program.range, ray, run);
  for (std::size_t i = 0; i < range.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (std::isfinite(range[i] > 0 ? program.range_upper_of(row) : program.range_lower_of(row))) {
      leave(std::abs(range[i]) / row_size(program.range, row));
    }
  }
  if (program.has_quadratic()) {
    std::vector<double> product(n);
    std::vector<double> diagonal(n);
    program.quadratic->multiply(ray, product, run);
    program.quadratic->diagonal(diagonal);
    leave(largest_size(product) / largest_size(diagonal));
  }
  return report;
}

}  // namespace mercer
