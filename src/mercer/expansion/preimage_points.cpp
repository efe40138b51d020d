#include "mercer/expansion/preimage_points.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"

namespace mercer {

bool has_numeric_points(const Samples& samples) {
  return samples.kind() == SampleKind::table ? samples.table().others().empty() : samples.is_numeric();
}

void require_numeric_points(const Samples& samples) {
  if (!has_numeric_points(samples)) {
    const bool table = samples.kind() == SampleKind::table;
    throw InvalidArgument("new points cannot be made for samples that are " + std::string(to_string(samples.kind())) +
                          (table ? " with columns that are not numbers" : "") +
                          "; choose among the given samples instead (selection by greedy, kpca, l1, ...)");
  }
}

Matrix<double> points_of(const Samples& samples) {
  require_numeric_points(samples);
  const Samples numeric = default_columns(samples);
  Matrix<double> points(numeric.size(), numeric.columns());
  copy_rows(numeric, {0, numeric.size()}, points.view());
  return points;
}

std::vector<double> column_lengths(ConstMatrixView<double> points) {
  const auto n = static_cast<double>(points.rows());
  std::vector<double> lengths(points.columns(), 0.0);
  for (Index j = 0; j < points.columns(); ++j) {
    double largest = 0;
    for (Index i = 0; i < points.rows(); ++i) {
      largest = std::max(largest, std::abs(points(i, j)));
    }
    if (!(largest > 0) || !std::isfinite(largest)) {
      continue;
    }
    double mean = 0;
    for (Index i = 0; i < points.rows(); ++i) {
      mean += points(i, j) / largest / n;
    }
    double square = 0;
    for (Index i = 0; i < points.rows(); ++i) {
      const double rest = points(i, j) / largest - mean;
      square += rest * rest / n;
    }
    constexpr double rounding = 1e-14;  // of equal values
    lengths[j] = (square > rounding * rounding ? std::sqrt(square) : 1.0) * largest;
  }
  const double most = lengths.empty() ? 0.0 : *std::ranges::max_element(lengths);
  for (double& length : lengths) {
    length = length > 0 ? length : most > 0 ? most : 1.0;
  }
  return lengths;
}

Samples points_like(const Samples& pattern, ConstMatrixView<double> points) {
  Samples numeric = make_dense(Matrix<double>::copy_of(points));
  if (pattern.kind() != SampleKind::table) {
    return numeric;
  }
  const auto names = pattern.table().numeric_names();
  return make_table(Table(std::move(numeric), {names.begin(), names.end()}, {}));
}

}  // namespace mercer
