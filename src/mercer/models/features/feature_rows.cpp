#include "mercer/models/features/feature_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/widths.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/ridge/ridge_problem.h"
#include "mercer/models/training_rows.h"

namespace mercer {

FeatureRows feature_rows(const char* model, const Kernel& kernel, const TrainingData& data, const Run& run,
                         EqualRows equal) {
  FeatureRows result;
  result.requested_kernel = kernel.spec();
  const bool merge = equal == EqualRows::merged;
  const MergedRows merged = merge ? merged_rows(model, &kernel, data) : MergedRows{};
  CountedRows counted = counted_rows(model, merge ? merged.data : data);
  result.rows = merge ? merged.given(std::move(counted.rows)) : std::move(counted.rows);
  result.samples = std::move(counted.samples);
  result.weights = std::move(counted.weights);
  const Kernel resolved = resolve_widths(kernel, {result.samples, result.weights}, run);
  result.gram = std::make_shared<const KernelGram<double>>(
      std::make_shared<const PreparedKernel>(resolved, result.samples, Precision::double_precision, run));
  return result;
}

FeatureFunctions feature_functions(const FeatureRows& rows, std::span<const Index> centers,
                                   ConstMatrixView<double> coefficients, std::span<const double> offsets,
                                   std::span<const double> values, const Run& run) {
  std::vector<Index> kept(centers.begin(), centers.end());
  Matrix<double> alpha = Matrix<double>::copy_of(coefficients);
  std::vector<double> center_values(values.begin(), values.end());
  if (rows.kernel().node().depends_on_reference()) {
    kept.resize(rows.size());
    std::iota(kept.begin(), kept.end(), Index{0});
    alpha = Matrix<double>::filled(rows.size(), coefficients.columns(), 0.0);
    center_values.assign(values.empty() ? 0 : kept.size(), 0.0);
    for (std::size_t i = 0; i < centers.size(); ++i) {
      std::copy_n(coefficients.row_data(static_cast<Index>(i)), coefficients.columns(),
                  alpha.view().row_data(centers[i]));
      if (!values.empty()) {
        center_values[centers[i]] = values[i];
      }
    }
  }
  Matrix<double> constants(1, coefficients.columns());
  std::copy(offsets.begin(), offsets.end(), constants.data());
  std::vector<Index> numbers;
  for (const Index row : kept) {
    numbers.push_back(rows.rows[row]);
  }
  const bool all = static_cast<Index>(kept.size()) == rows.size() && std::is_sorted(kept.begin(), kept.end());
  return {Expansion(rows.kernel(), all ? rows.samples : rows.samples.select(kept), std::move(alpha),
                    ParametricPart::constant, std::move(constants), rows.precision, run),
          std::move(numbers), std::move(center_values)};
}

PivotCoordinates feature_coordinates(const char* model, const FeatureRows& rows, Index rank, FitReport& report,
                                     const Run& run) {
  require_definite(model, rows.kernel(), rows.samples, ParametricPart::none, NormRemedies::none, run);
  CoordinateOptions options;
  options.max_rank = rank > 0 ? rank : std::clamp<Index>(20'000'000 / rows.size(), 200, 1000);
  PivotCoordinates coordinates = pivot_coordinates(*rows.gram, options, run);
  report.measures.push_back({"rank", static_cast<double>(coordinates.rank())});
  if (coordinates.left_out > 1e-6) {
    report.notes.push_back("rank " + std::to_string(coordinates.rank()) + " leaves out a share of " +
                           shortest(std::round(coordinates.left_out * 1e8) / 1e8) +
                           " of the kernel's trace; a larger rank leaves out less");
  }
  return coordinates;
}

FeatureModel::Parts projection_parts(const FeatureRows& rows, const PivotCoordinates& coordinates,
                                     std::span<const double> mean, ConstMatrixView<double> directions, Directions kind,
                                     const Run& run) {
  // The mean's own coefficients stand beside those of the directions.
  const Index count = directions.columns();
  Matrix<double> columns(coordinates.rank(), count + 1);
  std::vector<double> offsets(count, 0.0);
  for (Index i = 0; i < coordinates.rank(); ++i) {
    for (Index c = 0; c < count; ++c) {
      columns(i, c) = directions(i, c);
      offsets[c] -= mean[i] * directions(i, c);
    }
    columns(i, count) = mean[i];
  }
  const Matrix<double> alpha = coordinates.coefficients(std::as_const(columns).view());
  std::vector<double> mean_weights;
  for (Index i = 0; i < alpha.rows(); ++i) {
    mean_weights.push_back(alpha(i, count));
  }
  FeatureFunctions functions = feature_functions(
      rows, coordinates.pivots, alpha.view().block(0, 0, alpha.rows(), count), offsets, mean_weights, run);
  FeatureModel::Parts parts{.expansion = std::move(functions.expansion),
                            .value = {},
                            .values = {},
                            .center_rows = std::move(functions.center_rows),
                            .residual = std::nullopt};
  if (kind == Directions::orthonormal) {
    FeatureResidual residual;
    residual.scales.assign(count, 1.0);
    residual.mean_weights = std::move(functions.center_values);
    residual.mean_norm = dot(mean, mean);
    parts.residual = std::move(residual);
  }
  return parts;
}

}  // namespace mercer
