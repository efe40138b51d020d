#include "mercer/expansion/preimage_points.h"

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

Samples points_like(const Samples& pattern, ConstMatrixView<double> points) {
  Samples numeric = make_dense(Matrix<double>::copy_of(points));
  if (pattern.kind() != SampleKind::table) {
    return numeric;
  }
  const auto names = pattern.table().numeric_names();
  return make_table(Table(std::move(numeric), {names.begin(), names.end()}, {}));
}

}  // namespace mercer
