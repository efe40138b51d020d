#include "mercer/solvers/convex/program/constraint_sums.h"

#include <cmath>

#include "mercer/linalg/blas.h"
#include "mercer/solvers/convex/program/program_units.h"
#include "mercer/solvers/convex/program/row_products.h"

namespace mercer {

void add_column_sizes(ConstMatrixView<double> rows, const std::vector<double>& y, std::vector<double>& out) {
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

std::vector<double> rows_times(ConstMatrixView<double> rows, std::span<const double> x, const Run& run) {
  std::vector<double> out(static_cast<std::size_t>(rows.rows()), 0.0);
  if (!rows.empty()) {
    multiply_rows(rows, x, out, run);
  }
  return out;
}

void add_transposed(ConstMatrixView<double> rows, const std::vector<double>& y, std::vector<double>& out,
                    const Run& run) {
  if (!rows.empty()) {
    std::vector<double> product(out.size());
    multiply_rows_transposed(rows, y, product, run);
    axpy(1.0, product, out);
  }
}

double row_size(ConstMatrixView<double> rows, Index i) {
  const double size = largest_size(rows.row(i));
  return size > 0 ? size : 1.0;
}

double supported(double multiplier, double lower, double upper) {
  const double bound = multiplier > 0 ? lower : upper;
  return multiplier == 0 || !std::isfinite(bound) ? 0.0 : multiplier * bound;
}

double unsupported(double multiplier, double lower, double upper) {
  return std::isfinite(multiplier > 0 ? lower : upper) ? 0.0 : std::abs(multiplier);
}

}  // namespace mercer
