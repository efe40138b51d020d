#include "mercer/select/search/linear_limit.h"

#include <algorithm>
#include <cmath>

#include "mercer/data/columns.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/radial/radial_node.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/center.h"

namespace mercer {

namespace {

constexpr Index most_rows = 256;
constexpr double largest_difference = 0.05;
constexpr double rounding = 1e-11;

double product(const Matrix<double>& a, const Matrix<double>& b) {
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) {
      sum += a(i, j) * b(i, j);
    }
  }
  return sum;
}

// Empty where what is left is rounding.
Matrix<double> centered_gram(const Kernel& kernel, const Samples& rows, const Run& run) {
  const PreparedKernel prepared(kernel, rows, Precision::double_precision, run);
  const Index n = rows.size();
  Matrix<double> gram(n, n);
  evaluate_gram<double>(prepared, Triangle::both, gram.view(), run);
  const double size = std::sqrt(product(gram, gram));
  center_symmetric(gram.view());
  return std::sqrt(product(gram, gram)) > rounding * size ? std::move(gram) : Matrix<double>();
}

}  // namespace

std::optional<double> linear_slope_on(const Kernel& kernel, const Samples& samples, const Run& run) {
  const Samples seen = default_columns(samples);
  const bool is_radial = dynamic_cast<const RadialNode*>(&kernel.node()) != nullptr && kernel.is_resolved();
  if (!is_radial || !seen.is_numeric() || seen.columns() == 0 || seen.size() < 3) {
    return std::nullopt;
  }
  std::vector<Index> rows;
  const Index count = std::min(most_rows, seen.size());
  for (Index i = 0; i < count; ++i) {
    rows.push_back(i * seen.size() / count);
  }
  const Samples few = seen.select(rows);
  const Matrix<double> radial = centered_gram(kernel, few, run);
  const Matrix<double> linear = centered_gram(parse_kernel("linear()"), few, run);
  if (radial.rows() == 0 || linear.rows() == 0) {
    return std::nullopt;
  }
  const double cosine = product(radial, linear) / std::sqrt(product(radial, radial) * product(linear, linear));
  const bool is_linear = std::sqrt(std::max(0.0, 2 - 2 * cosine)) < largest_difference;
  return is_linear ? std::optional(product(radial, linear) / product(linear, linear)) : std::nullopt;
}

}  // namespace mercer
