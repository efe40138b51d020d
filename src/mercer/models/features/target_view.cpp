#include "mercer/models/features/target_view.h"

#include <string>
#include <utility>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/models/target_scaling.h"

namespace mercer {

namespace {

// Mean 0 and variance 1 over the weighted rows; constant columns become 0.
void standardize_target(std::vector<double>& column, std::span<const double> weights) {
  const ConstMatrixView<double> view(column.data(), static_cast<Index>(column.size()), 1);
  const TargetScaling scaling = target_scaling(view, weights, Standardization::each);
  for (double& value : column) {
    value = scaling.standardized(value, 0);
  }
}

}  // namespace

Samples target_samples(const Targets& targets, std::span<const Index> rows, std::span<const double> weights) {
  std::vector<std::vector<double>> columns;
  for (const TargetColumn& target : targets.columns()) {
    if (target.is_numeric()) {
      standardize_target(columns.emplace_back(target.finite_values(rows)), weights);
      continue;
    }
    for (std::size_t level = 0; level < target.labels.levels.size(); ++level) {
      std::vector<double>& column = columns.emplace_back();
      for (const Index row : rows) {
        column.push_back(target.labels.codes[row] == static_cast<std::int32_t>(level) ? 1 : 0);
      }
    }
  }
  Matrix<double> values(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (Index c = 0; c < values.columns(); ++c) {
    for (Index i = 0; i < values.rows(); ++i) {
      values(i, c) = columns[c][i];
    }
  }
  return make_dense(std::move(values));
}

}  // namespace mercer
