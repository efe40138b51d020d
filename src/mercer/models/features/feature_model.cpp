#include "mercer/models/features/feature_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/expansion/preimage.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/dot/linear.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

constexpr Index feature_batch_rows = 8192;
// Of the weights of a batch of projections, centres × samples.
constexpr Index most_projection_weights = Index{1} << 22;
constexpr const char* values_prefix = "values of ";

// What the array "residual" says.
enum class StoredResidual { none = 0, about_origin = 1, about_mean = 2 };

void require_count(std::size_t count, Index wanted, const char* what) {
  if (static_cast<Index>(count) != wanted) {
    throw InvalidArgument("a feature model with " + std::to_string(count) + " " + what + " where " +
                          std::to_string(wanted) + " are needed");
  }
}

void require_finite_parts(std::span<const double> values, const char* what) {
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
    throw InvalidArgument("a feature model whose " + std::string(what) + " are not all finite");
  }
}

void check_residual(const FeatureResidual& residual, Index outputs, Index centres) {
  require_count(residual.scales.size(), outputs, "scales");
  require_finite_parts(residual.scales, "scales");
  if (!std::all_of(residual.scales.begin(), residual.scales.end(), [](double scale) { return scale > 0; })) {
    throw InvalidArgument("a feature model with a scale that is not above 0");
  }
  if (!residual.mean_weights.empty()) {
    require_count(residual.mean_weights.size(), centres, "weights of the mean");
  }
  require_finite_parts(residual.mean_weights, "weights of the mean");
  if (!std::isfinite(residual.mean_norm) || (residual.mean_weights.empty() && residual.mean_norm != 0)) {
    throw InvalidArgument("a feature model whose mean has no finite norm, or a norm without weights");
  }
}

// Columns: α_c / scale_c, so that the values are ⟨v_c, Φ(x) − μ⟩ without the offsets; then w where there is a mean.
Matrix<double> direction_coefficients(const Expansion& expansion, const FeatureResidual& residual) {
  const ConstMatrixView<double> alpha = expansion.coefficients();
  const Index extra = residual.mean_weights.empty() ? 0 : 1;
  Matrix<double> result(alpha.rows(), alpha.columns() + extra);
  for (Index i = 0; i < alpha.rows(); ++i) {
    for (Index c = 0; c < alpha.columns(); ++c) {
      result(i, c) = alpha(i, c) / residual.scales[static_cast<std::size_t>(c)];
    }
    if (extra == 1) {
      result(i, alpha.columns()) = residual.mean_weights[static_cast<std::size_t>(i)];
    }
  }
  return result;
}

double direction_offset(const Expansion& expansion, const FeatureResidual& residual, Index c) {
  return expansion.parametric_part() == ParametricPart::none
             ? 0.0
             : expansion.parametric_coefficients()(0, c) / residual.scales[static_cast<std::size_t>(c)];
}

// centres × samples: w_i + Σ_c f_c α_ic / scale_c², the projections as expansions.
Matrix<double> projection_weights(ConstMatrixView<double> alpha, const FeatureResidual& residual,
                                  ConstMatrixView<double> features, const Run& run) {
  Matrix<double> along = Matrix<double>::copy_of(features);
  for (Index i = 0; i < along.rows(); ++i) {
    for (Index c = 0; c < along.columns(); ++c) {
      const double scale = residual.scales[static_cast<std::size_t>(c)];
      along(i, c) /= scale * scale;
    }
  }
  Matrix<double> weights(alpha.rows(), features.rows());
  for (Index i = 0; i < weights.rows(); ++i) {
    const double mean = residual.mean_weights.empty() ? 0.0 : residual.mean_weights[static_cast<std::size_t>(i)];
    std::fill_n(weights.view().row_data(i), weights.columns(), mean);
  }
  parallel_gemm(1.0, alpha, Transpose::no, ConstMatrixView<double>(along.view()), Transpose::yes, 1.0, weights.view(),
                run);
  return weights;
}

ComponentValue stored_value(const ModelState& state) {
  for (const auto& word : words_of(ComponentValue{})) {
    if (state.arrays.contains(values_prefix + std::string(word.text))) {
      return word.value;
    }
  }
  throw DataError("a stored " + state.model + " model without the values of its components");
}

std::optional<FeatureResidual> stored_residual(const ModelState& state, Index outputs, Index centres) {
  const Matrix<double> about = state.finite_array("residual", 1, 2);
  const double kind = about(0, 0);
  if (kind == static_cast<double>(StoredResidual::none)) {
    return std::nullopt;
  }
  FeatureResidual residual;
  residual.scales = state.finite_column("scales", outputs);
  residual.mean_norm = about(0, 1);
  if (kind == static_cast<double>(StoredResidual::about_mean)) {
    residual.mean_weights = state.finite_column("mean_weights", centres);
  } else if (kind != static_cast<double>(StoredResidual::about_origin)) {
    throw DataError("a stored " + state.model + " model with a residual of an unknown kind");
  }
  return residual;
}

}  // namespace

FeatureModel::FeatureModel(Parts parts) : parts_(std::move(parts)) {
  const Expansion& expansion = parts_.expansion;
  const Index outputs = expansion.outputs();
  const Index centres = expansion.centres().size();
  if (expansion.parametric_part() != ParametricPart::constant && expansion.parametric_part() != ParametricPart::none) {
    throw InvalidArgument(
        "a feature model with functions of the columns beside its kernel: only constants are allowed");
  }
  require_count(parts_.values.size(), outputs, "values of components");
  require_finite_parts(parts_.values, "values of components");
  if (!parts_.centre_rows.empty()) {
    require_count(parts_.centre_rows.size(), centres, "rows of centres");
  }
  if (parts_.residual) {
    check_residual(*parts_.residual, outputs, centres);
  }
}

std::vector<std::string> FeatureModel::output_names() const {
  std::vector<std::string> names;
  for (Index c = 0; c < parts_.expansion.outputs(); ++c) {
    names.push_back("component" + std::to_string(c + 1));
  }
  return names;
}

Matrix<double> FeatureModel::predict(const Samples& samples, const Run& run) const {
  Matrix<double> values(samples.size(), parts_.expansion.outputs());
  parts_.expansion.evaluate(samples, values.view(), run);
  return values;
}

std::vector<std::string> FeatureModel::decision_names() const {
  return parts_.residual ? std::vector<std::string>{"residual"} : std::vector<std::string>{};
}

Matrix<double> FeatureModel::decide(const Samples& samples, const Run& run) const {
  if (!parts_.residual) {
    return FittedModel::decide(samples, run);
  }
  const FeatureResidual& residual = *parts_.residual;
  const Expansion& expansion = parts_.expansion;
  const Index outputs = expansion.outputs();
  const Matrix<double> coefficients = direction_coefficients(expansion, residual);
  const auto prepared =
      std::make_shared<const PreparedKernel>(kernel(), expansion.centres(), Precision::double_precision, run.quiet());
  Matrix<double> result(samples.size(), 1);
  const Index batches = std::max<Index>(1, block_count(samples.size(), feature_batch_rows));
  for (Index b = 0; b < batches; ++b) {
    const IndexRange range = block_range(samples.size(), feature_batch_rows, b);
    const CrossGram<double> cross(prepared, samples.slice(range), run.quiet());
    Matrix<double> parts(range.size(), coefficients.columns());
    cross.multiply(coefficients.view(), parts.view(), run);
    std::vector<double> lengths(static_cast<std::size_t>(range.size()));
    cross.diagonal(lengths);
    for (Index i = 0; i < range.size(); ++i) {
      double rest = lengths[static_cast<std::size_t>(i)] + residual.mean_norm;
      if (!residual.mean_weights.empty()) {
        rest -= 2 * parts(i, outputs);
      }
      for (Index c = 0; c < outputs; ++c) {
        const double along = parts(i, c) + direction_offset(expansion, residual, c);
        rest -= along * along;
      }
      result(range.begin + i, 0) = std::max(0.0, rest);
    }
    run.progress("residuals", static_cast<double>(range.end), static_cast<double>(samples.size()));
  }
  return result;
}

bool FeatureModel::has_reconstruction() const {
  return parts_.residual && has_numeric_points(parts_.expansion.centres()) && kernel().node().has_input_derivatives();
}

// One point per column of `weights`. In the space of a linear kernel a projection Σ w_i x_i is a point itself.
Matrix<double> FeatureModel::images_of_projections(ConstMatrixView<double> weights, ConstMatrixView<double> starts,
                                                   const Run& run) const {
  const Samples& centres = parts_.expansion.centres();
  if (&kernel().node().entry() != &linear_entry()) {
    return preimages(kernel(), centres, weights, starts, PreimageOptions{}, run.quiet());
  }
  const Matrix<double> rows = points_of(centres);
  Matrix<double> points(weights.columns(), rows.columns());
  parallel_gemm<double>(1, weights, Transpose::yes, rows.view(), Transpose::no, 0, points.view(), run);
  return points;
}

Matrix<double> FeatureModel::reconstruct(const Samples& samples, const Run& run) const {
  if (!has_reconstruction()) {
    return FittedModel::reconstruct(samples, run);
  }
  const FeatureResidual& residual = *parts_.residual;
  const ConstMatrixView<double> alpha = parts_.expansion.coefficients();
  const Matrix<double> features = predict(samples, run.quiet());
  const Matrix<double> starts = points_of(samples);
  Matrix<double> result(samples.size(), starts.columns());
  const Index batch = std::max<Index>(1, most_projection_weights / std::max<Index>(1, alpha.rows()));
  for (Index b = 0; b < block_count(samples.size(), batch); ++b) {
    const IndexRange range = block_range(samples.size(), batch, b);
    Matrix<double> weights = projection_weights(alpha, residual, features.view().row_block(range), run);
    const Matrix<double> points = images_of_projections(weights.view(), starts.view().row_block(range), run);
    for (Index i = 0; i < range.size(); ++i) {
      std::copy_n(points.view().row_data(i), points.columns(), result.view().row_data(range.begin + i));
    }
    run.progress("reconstruction", static_cast<double>(range.end), static_cast<double>(samples.size()));
  }
  return result;
}

std::unique_ptr<FittedModel> FeatureModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  if (!(expansion.kernel() == kernel()) || expansion.outputs() != parts_.expansion.outputs()) {
    throw InvalidArgument("features of another kernel, or of another number, cannot take the place of these");
  }
  Parts parts{.name = parts_.name,
              .requested_kernel = parts_.requested_kernel,
              .settings = parts_.settings,
              .expansion = std::move(expansion),
              .value = parts_.value,
              .values = parts_.values,
              .centre_rows = {},
              .residual = std::nullopt,
              .report = parts_.report};
  parts.report.notes.emplace_back("features on other centres: without residuals and reconstructions");
  return std::make_unique<FeatureModel>(std::move(parts));
}

ModelState FeatureModel::state() const {
  ModelState state;
  state.model = parts_.name;
  state.requested_kernel = parts_.requested_kernel;
  state.kernel = kernel().spec();
  state.output_names = output_names();
  state.settings = parts_.settings;
  state.report = parts_.report;
  const Expansion& expansion = parts_.expansion;
  state.samples.emplace("centres", expansion.centres());
  state.arrays.emplace("coefficients", Matrix<double>::copy_of(expansion.coefficients()));
  state.arrays.emplace("parametric", Matrix<double>::copy_of(expansion.parametric_coefficients()));
  keep_kernel_precision(state, expansion.precision());
  state.arrays.emplace("centre_rows", index_column(parts_.centre_rows));
  state.arrays.emplace(values_prefix + std::string(word_of(parts_.value)), number_column(parts_.values));
  StoredResidual kind = StoredResidual::none;
  Matrix<double> about = Matrix<double>::filled(1, 2, 0.0);
  if (parts_.residual) {
    const FeatureResidual& residual = *parts_.residual;
    kind = residual.mean_weights.empty() ? StoredResidual::about_origin : StoredResidual::about_mean;
    about(0, 1) = residual.mean_norm;
    state.arrays.emplace("scales", number_column(residual.scales));
    if (kind == StoredResidual::about_mean) {
      state.arrays.emplace("mean_weights", number_column(residual.mean_weights));
    }
  }
  about(0, 0) = static_cast<double>(kind);
  state.arrays.emplace("residual", std::move(about));
  return state;
}

std::unique_ptr<FeatureModel> FeatureModel::from_state(const ModelState& state, const Run& run) {
  const Matrix<double>& coefficients = state.array("coefficients");
  const Matrix<double>& parametric = state.array("parametric");
  const Index outputs = coefficients.columns();
  const Index centres = coefficients.rows();
  const ComponentValue value = stored_value(state);
  const Index named_rows = state.array("centre_rows").rows() == 0 ? 0 : centres;
  std::optional<FeatureResidual> residual = stored_residual(state, outputs, centres);
  std::vector<double> values = state.finite_column(values_prefix + std::string(word_of(value)), outputs);
  std::vector<Index> rows = state.indices("centre_rows", named_rows, max_stored_index);
  Expansion expansion(parse_kernel(state.kernel), state.sample_set("centres"),
                      Matrix<double>::copy_of(coefficients.view()),
                      parametric.rows() == 0 ? ParametricPart::none : ParametricPart::constant,
                      Matrix<double>::copy_of(parametric.view()), kept_kernel_precision(state), run);
  return std::make_unique<FeatureModel>(Parts{.name = state.model,
                                              .requested_kernel = state.requested_kernel,
                                              .settings = state.settings,
                                              .expansion = std::move(expansion),
                                              .value = value,
                                              .values = std::move(values),
                                              .centre_rows = std::move(rows),
                                              .residual = std::move(residual),
                                              .report = state.report});
}

}  // namespace mercer
