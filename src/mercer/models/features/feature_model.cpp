#include "mercer/models/features/feature_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/expansion/preimage.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/dot/linear.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/linalg/product.h"
#include "mercer/models/fields.h"

namespace mercer {

namespace {

constexpr Index feature_batch_rows = 8192;
// Of the weights of a batch of projections, centres × samples.
constexpr Index most_projection_weights = Index{1} << 22;

enum class ResidualAbout { nothing, origin, mean };
constexpr auto words_of(ResidualAbout) {
  return std::array{Word{ResidualAbout::nothing, "nothing"}, Word{ResidualAbout::origin, "origin"},
                    Word{ResidualAbout::mean, "mean"}};
}

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

void check_residual(const FeatureResidual& residual, Index outputs, Index centers) {
  require_count(residual.scales.size(), outputs, "scales");
  require_finite_parts(residual.scales, "scales");
  if (!std::all_of(residual.scales.begin(), residual.scales.end(), [](double scale) { return scale > 0; })) {
    throw InvalidArgument("a feature model with a scale that is not above 0");
  }
  if (!residual.mean_weights.empty()) {
    require_count(residual.mean_weights.size(), centers, "weights of the mean");
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
      result(i, c) = alpha(i, c) / residual.scales[c];
    }
    if (extra == 1) {
      result(i, alpha.columns()) = residual.mean_weights[i];
    }
  }
  return result;
}

double direction_offset(const Expansion& expansion, const FeatureResidual& residual, Index c) {
  return expansion.parametric_part() == ParametricPart::none
             ? 0.0
             : expansion.parametric_coefficients()(0, c) / residual.scales[c];
}

// centres × samples: w_i + Σ_c f_c α_ic / scale_c², the projections as expansions.
Matrix<double> projection_weights(ConstMatrixView<double> alpha, const FeatureResidual& residual,
                                  ConstMatrixView<double> features, const Run& run) {
  Matrix<double> along = Matrix<double>::copy_of(features);
  for (Index i = 0; i < along.rows(); ++i) {
    for (Index c = 0; c < along.columns(); ++c) {
      const double scale = residual.scales[c];
      along(i, c) /= scale * scale;
    }
  }
  Matrix<double> weights(alpha.rows(), features.rows());
  for (Index i = 0; i < weights.rows(); ++i) {
    const double mean = residual.mean_weights.empty() ? 0.0 : residual.mean_weights[i];
    std::fill_n(weights.view().row_data(i), weights.columns(), mean);
  }
  parallel_gemm(1.0, alpha, Transpose::no, ConstMatrixView<double>(along.view()), Transpose::yes, 1.0, weights.view(),
                run);
  return weights;
}

// Formats 1 and 2 say what the values are in the name of their array.
constexpr std::string_view values_before = "values of ";

std::optional<ComponentValue> value_before(const Fields& visit) {
  for (const auto& [value, word] : words_of(ComponentValue{})) {
    if (visit.present(std::string(values_before).append(word), false)) {
      return value;
    }
  }
  return {};
}

void value_fields(Fields& visit, ComponentValue& value, std::vector<double>& values) {
  if (const auto before = value_before(visit)) {
    value = *before;
    visit.column(std::string(values_before).append(word_of(value)), values, visit.outputs());
    return;
  }
  visit.word("component_value", value);
  visit.column("values", values, visit.outputs());
}

// Formats 1 and 2 have a number in place of the word, and the norm of the mean beside it.
ResidualAbout residual_before(Fields& visit, double& mean_norm) {
  Matrix<double> stored;
  visit.matrix("residual", stored, {1, 2});
  mean_norm = stored(0, 1);
  for (const ResidualAbout about : {ResidualAbout::nothing, ResidualAbout::origin, ResidualAbout::mean}) {
    if (stored(0, 0) == static_cast<double>(about)) {
      return about;
    }
  }
  throw DataError("a stored " + visit.head().name + " model with a residual of an unknown kind");
}

ResidualAbout residual_about(const std::optional<FeatureResidual>& residual) {
  if (!residual) {
    return ResidualAbout::nothing;
  }
  return residual->mean_weights.empty() ? ResidualAbout::origin : ResidualAbout::mean;
}

void residual_fields(Fields& visit, std::optional<FeatureResidual>& residual, Index centers) {
  ResidualAbout about = residual_about(residual);
  double mean_norm = residual ? residual->mean_norm : 0;
  if (visit.present("residual", false)) {
    about = residual_before(visit, mean_norm);
  } else {
    visit.word("residual_about", about);
    if (about == ResidualAbout::mean) {
      visit.number("mean_norm", mean_norm);
    }
  }
  if (about == ResidualAbout::nothing) {
    return;
  }
  if (visit.loading()) {
    residual.emplace().mean_norm = mean_norm;
  }
  visit.column("scales", residual->scales, visit.outputs(), Constraint::positive);
  if (about == ResidualAbout::mean) {
    visit.column("mean_weights", residual->mean_weights, centers);
  }
}

}  // namespace

FeatureModel::FeatureModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {
  const Expansion& expansion = parts_.expansion;
  const Index outputs = expansion.outputs();
  const Index centers = expansion.centers().size();
  if (expansion.parametric_part() != ParametricPart::constant && expansion.parametric_part() != ParametricPart::none) {
    throw InvalidArgument(
        "a feature model with functions of the columns beside its kernel: only constants are allowed");
  }
  require_count(output_names().size(), outputs, "names of components");
  require_count(parts_.values.size(), outputs, "values of components");
  require_finite_parts(parts_.values, "values of components");
  if (!parts_.center_rows.empty()) {
    require_count(parts_.center_rows.size(), centers, "rows of centres");
  }
  if (parts_.residual) {
    check_residual(*parts_.residual, outputs, centers);
  }
}

std::vector<std::string> component_names(Index components) {
  std::vector<std::string> names;
  for (Index c = 0; c < components; ++c) {
    names.push_back("component" + std::to_string(c + 1));
  }
  return names;
}

std::vector<std::string> FeatureModel::decision_names() const {
  return parts_.residual ? std::vector<std::string>{"residual"} : std::vector<std::string>{};
}

Answers FeatureModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers;
  if (wanted.predictions) {
    answers.predictions = parts_.expansion.values(samples, run);
  }
  if (wanted.decisions) {
    answers.decisions = residuals(samples, run);
  }
  return answers;
}

Matrix<double> FeatureModel::residuals(const Samples& samples, const Run& run) const {
  const FeatureResidual& residual = *parts_.residual;
  const Expansion& expansion = parts_.expansion;
  const Index outputs = expansion.outputs();
  const Matrix<double> coefficients = direction_coefficients(expansion, residual);
  const auto prepared =
      std::make_shared<const PreparedKernel>(kernel(), expansion.centers(), Precision::double_precision, run.quiet());
  Matrix<double> result(samples.size(), 1);
  const Index batches = std::max<Index>(1, block_count(samples.size(), feature_batch_rows));
  for (Index b = 0; b < batches; ++b) {
    const IndexRange range = block_range(samples.size(), feature_batch_rows, b);
    const CrossGram<double> cross(prepared, samples.slice(range), run.quiet());
    Matrix<double> parts(range.size(), coefficients.columns());
    cross.multiply(coefficients.view(), parts.view(), run);
    std::vector<double> lengths(range.size());
    cross.diagonal(lengths);
    for (Index i = 0; i < range.size(); ++i) {
      double rest = lengths[i] + residual.mean_norm;
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
  return parts_.residual && has_numeric_points(parts_.expansion.centers()) && kernel().node().has_input_derivatives();
}

// One point per column of `weights`. In the space of a linear kernel a projection Σ w_i x_i is a point itself.
Matrix<double> FeatureModel::images_of_projections(ConstMatrixView<double> weights, ConstMatrixView<double> starts,
                                                   const Run& run) const {
  const Samples& centers = parts_.expansion.centers();
  if (&kernel().node().entry() != &linear_entry()) {
    return preimages(kernel(), centers, weights, starts, PreimageOptions{}, run.quiet());
  }
  const Matrix<double> rows = points_of(centers);
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
  ModelHead changed = head();
  changed.report.notes.emplace_back("features on other centres: without residuals and reconstructions");
  return std::make_unique<FeatureModel>(std::move(changed), Parts{.expansion = std::move(expansion),
                                                                  .value = parts_.value,
                                                                  .values = parts_.values,
                                                                  .center_rows = {},
                                                                  .residual = std::nullopt});
}

void FeatureModel::Parts::fields(Fields& visit) {
  visit.expansion(expansion, {.outputs = visit.outputs(), .part = {}});
  visit.indices("centre_rows", center_rows, any_count, any_index);
  value_fields(visit, value, values);
  residual_fields(visit, residual, expansion.centers().size());
}

}  // namespace mercer
