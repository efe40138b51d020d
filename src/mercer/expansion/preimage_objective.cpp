#include "mercer/expansion/preimage_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/kernel_block.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

// Columns of one tile: wide, since a batch has few rows.
constexpr Index center_block = 1024;

}  // namespace

struct PreimageObjective::Slopes {
  std::vector<double> by_length;  // ∂F/∂k(z, z), per point
};

PreimageObjective::PreimageObjective(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients,
                                     PreimageCriterion criterion, const Run& run)
    : criterion_(criterion), centers_(centers) {
  if (coefficients.rows() != centers.size()) {
    throw InvalidArgument(std::to_string(coefficients.rows()) + " rows of coefficients for " +
                          std::to_string(centers.size()) + " centres");
  }
  if (centers.size() == 0) {
    throw InvalidArgument("no centres: there is nothing to find a pre-image of");
  }
  if (!kernel.node().has_input_derivatives()) {
    no_input_derivatives(kernel.node());
  }
  points_ = points_of(centers);
  lengths_ = column_lengths(points_.view());
  prepared_ = std::make_shared<const PreparedKernel>(kernel, centers, Precision::double_precision, run);
  radial_ = RadialForm::of(prepared_->kernel());
  coefficients_ = Matrix<double>::copy_of(coefficients);
  transposed_ = Matrix<double>(coefficients.columns(), coefficients.rows());
  for (Index i = 0; i < coefficients.rows(); ++i) {
    for (Index o = 0; o < coefficients.columns(); ++o) {
      transposed_(o, i) = coefficients(i, o);
    }
  }
}

std::shared_ptr<const Prepared> PreimageObjective::prepare(ConstMatrixView<double> z, const Run& run) const {
  return prepared_->prepare(points_like(centers_, z), run);
}

double PreimageObjective::value(std::span<const double> h, double squared_length) const {
  if (criterion_ == PreimageCriterion::distance) {
    return squared_length - 2 * h[0];
  }
  double sum = 0;
  for (const double product : h) {
    sum += product * product;
  }
  return squared_length > 0 ? -sum / squared_length : 0.0;
}

PreimageObjective::Slopes PreimageObjective::replace_by_weights(std::span<const OutputRange> outputs,
                                                                std::span<const double> lengths,
                                                                std::span<double> values,
                                                                MatrixView<double> kernel_values) const {
  Slopes slopes{std::vector<double>(values.size(), 1.0)};
  std::vector<double> h;
  for (Index i = 0; i < kernel_values.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const OutputRange range = outputs[at];
    h.clear();
    for (Index o = range.begin; o < range.end; ++o) {
      h.push_back(dot(kernel_values.row(i), transposed_.view().row(o)));
    }
    values[at] = value(h, lengths[at]);
    const std::span<double> weights = kernel_values.row(i);
    std::ranges::fill(weights, 0.0);
    if (criterion_ == PreimageCriterion::distance) {
      axpy(-2.0, transposed_.view().row(range.begin), weights);
      continue;
    }
    const bool usable = lengths[at] > 0;
    slopes.by_length[at] = usable ? -values[at] / lengths[at] : 0.0;
    for (Index o = range.begin; usable && o < range.end; ++o) {
      axpy(-2 * h[o - range.begin] / lengths[at], transposed_.view().row(o), weights);
    }
  }
  return slopes;
}

// ∇k(z, z) = 2 ∂k(z, z')/∂z at z' = z, by symmetry; 0 for kernels of a distance.
void PreimageObjective::add_length_gradient(const Prepared& z, std::span<const double> slopes,
                                            MatrixView<double> gradient, Workspace& workspace) const {
  if (radial_) {
    return;
  }
  for (Index i = 0; i < z.size(); ++i) {
    const double weight = 2 * slopes[i];
    TileContext<double> context(z, {i, i + 1}, z, {i, i + 1}, workspace);
    kernel().node().contract_inputs(context, ConstMatrixView<double>(&weight, 1, 1), gradient.row_block({i, i + 1}));
  }
}

void PreimageObjective::evaluate(ConstMatrixView<double> z, std::span<const OutputRange> outputs,
                                 std::span<double> values, MatrixView<double> gradient, Workspace& workspace,
                                 const Run& run) const {
  const std::shared_ptr<const Prepared> prepared = prepare(z, run);
  const Prepared& x = prepared_->reference();
  const IndexRange rows{0, z.rows()};
  ScratchMatrix<double> block(workspace, z.rows(), x.size());
  const MatrixView<double> weights = block.view();
  std::vector<TileContext<double>> contexts;  // they keep the inner products for the derivatives
  for (Index b = 0; b < block_count(x.size(), center_block); ++b) {
    const IndexRange columns = block_range(x.size(), center_block, b);
    contexts.emplace_back(*prepared, rows, x, columns, workspace);
    kernel().node().tile(contexts.back(), weights.block(rows, columns));
  }
  std::vector<double> lengths(values.size());
  kernel().node().diagonal(*prepared, rows, lengths);
  const Slopes slopes = replace_by_weights(outputs, lengths, values, weights);
  if (gradient.empty()) {
    return;
  }
  for (Index i = 0; i < gradient.rows(); ++i) {
    std::ranges::fill(gradient.row(i), 0.0);
  }
  for (TileContext<double>& context : contexts) {
    kernel().node().contract_inputs(context, weights.block(rows, context.columns()), gradient);
  }
  add_length_gradient(*prepared, slopes.by_length, gradient, workspace);
}

void PreimageObjective::fill_distances(const Prepared& z, MatrixView<double> out, Workspace& workspace) const {
  const Prepared& x = prepared_->reference();
  const IndexRange rows{0, z.size()};
  for (Index b = 0; b < block_count(x.size(), center_block); ++b) {
    const IndexRange columns = block_range(x.size(), center_block, b);
    TileContext<double> context(z, rows, x, columns, workspace);
    squared_distances(context, radial_->key(), 1.0, out.block(rows, columns));
  }
}

void PreimageObjective::step(ConstMatrixView<double> z, std::span<const OutputRange> outputs, std::span<double> values,
                             MatrixView<double> next, Workspace& workspace, const Run& run) const {
  const std::shared_ptr<const Prepared> prepared = prepare(z, run);
  ScratchMatrix<double> distance_block(workspace, z.rows(), points_.rows());
  ScratchMatrix<double> weight_block(workspace, z.rows(), points_.rows());
  const MatrixView<double> distances = distance_block.view();
  const MatrixView<double> weights = weight_block.view();
  fill_distances(*prepared, distances, workspace);
  for (Index i = 0; i < z.rows(); ++i) {
    radial_->values(distances.row(i), weights.row(i));
  }
  const std::vector<double> lengths(values.size(), radial_->peak());
  replace_by_weights(outputs, lengths, values, weights);
  std::vector<double> sums(values.size());
  for (Index i = 0; i < z.rows(); ++i) {
    const std::span<double> row = distances.row(i);
    radial_->slopes(row, row);
    double sum = 0;
    double size = 0;
    for (Index j = 0; j < weights.columns(); ++j) {
      weights(i, j) *= distances(i, j);
      sum += weights(i, j);
      size += std::abs(weights(i, j));
    }
    constexpr double canceled = 1e-10;
    sums[i] = std::abs(sum) > canceled * size ? sum : std::numeric_limits<double>::quiet_NaN();
  }
  gemm(1.0, weights, Transpose::no, points_.view(), Transpose::no, 0.0, next);
  for (Index i = 0; i < z.rows(); ++i) {
    scale(1 / sums[i], next.row(i));
  }
}

void PreimageObjective::projections(ConstMatrixView<double> z, MatrixView<double> h, std::span<double> squared_lengths,
                                    const Run& run) const {
  const CrossGram<double> gram(prepared_, points_like(centers_, z), run);
  gram.multiply(coefficients_.view(), h, run);
  gram.diagonal(squared_lengths);
}

}  // namespace mercer
