#include "mercer/models/numeric_points.h"

#include <string>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"

namespace mercer {

namespace {

Samples numeric_columns_of(const Samples& samples, std::string_view model) {
  Samples numeric = default_columns(samples);
  if ((numeric.kind() != SampleKind::dense && numeric.kind() != SampleKind::sparse) || numeric.columns() == 0) {
    throw DataError(std::string(model) + " needs numeric columns, and these samples have none");
  }
  return numeric;
}

Matrix<double> finite_points(const Samples& numeric) {
  require_finite(numeric);
  Matrix<double> points(numeric.size(), numeric.columns());
  copy_rows(numeric, {0, numeric.size()}, points.view());
  return points;
}

}  // namespace

Matrix<double> numeric_points(const Samples& samples, std::string_view model) {
  return finite_points(numeric_columns_of(samples, model));
}

Matrix<double> numeric_points(const Samples& samples, Index d, std::string_view model) {
  const Samples numeric = numeric_columns_of(samples, model);
  if (numeric.columns() != d) {
    throw DataError(std::string(model) + " was fitted to " + std::to_string(d) +
                    " numeric columns, and these samples have " + std::to_string(numeric.columns()));
  }
  return finite_points(numeric);
}

}  // namespace mercer
