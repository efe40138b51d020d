#include "mercer/models/mapped/mapped_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/features/nystroem_map.h"
#include "mercer/linalg/product.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/fields.h"
#include "mercer/models/prototypes/expansion_classifier.h"

namespace mercer {

namespace {

// Of the features of one batch.
constexpr Index mapped_batch_numbers = Index{1} << 22;

// f = k(z, ·)ᵀ(AW) + b.
Expansion nystroem_functions(const NystroemMap& map, const Matrix<double>& weights, const Matrix<double>& offsets) {
  Matrix<double> alpha(map.landmarks().size(), weights.columns());
  parallel_gemm<double>(1.0, map.coefficients(), Transpose::no, weights.view(), Transpose::no, 0.0, alpha.view(),
                        Run());
  return {map.kernel(),
          map.landmarks(),
          std::move(alpha),
          ParametricPart::constant,
          Matrix<double>::copy_of(offsets.view()),
          Precision::double_precision,
          Run()};
}

// The fit put the map that it took into the settings.
MapKind stored_map_kind(const Fields& visit) {
  const std::vector<OptionSetting>& settings = visit.head().settings;
  const auto map = std::ranges::find(settings, "map", &OptionSetting::name);
  return map == settings.end() ? MapKind::automatic : find_word<MapKind>(map->value).value_or(MapKind::automatic);
}

Index mapped_batch_rows(Index features) { return std::clamp<Index>(mapped_batch_numbers / features, 64, 8192); }

}  // namespace

MappedModel::MappedModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {
  const Index functions = parts_.output == MappedOutput::values
                              ? static_cast<Index>(output_names().size())
                              : functions_for_classes(static_cast<Index>(classes().size()));
  if (parts_.weights.rows() != parts_.map->columns() || parts_.weights.columns() != functions ||
      parts_.offsets.rows() != 1 || parts_.offsets.columns() != functions) {
    throw InvalidArgument("a " + name() + " model with " + std::to_string(parts_.weights.rows()) + " x " +
                          std::to_string(parts_.weights.columns()) + " weights where " +
                          std::to_string(parts_.map->columns()) + " x " + std::to_string(functions) + " are needed");
  }
  if (const auto* nystroem = dynamic_cast<const NystroemMap*>(parts_.map.get())) {
    expansion_.emplace(nystroem_functions(*nystroem, parts_.weights, parts_.offsets));
  }
}

std::unique_ptr<FittedModel> MappedModel::with_expansion(Expansion expansion, const Run& run) const {
  if (!expansion_) {
    return FittedModel::with_expansion(std::move(expansion), run);
  }
  const Index functions = parts_.weights.columns();
  if (!(expansion.kernel() == parts_.kernel) || expansion.outputs() != functions ||
      expansion.parametric_part() != ParametricPart::constant) {
    throw InvalidArgument(
        "functions of another kernel, of another number or without a constant cannot take the place "
        "of those of a " +
        name() + " model");
  }
  Matrix<double> identity = Matrix<double>::filled(functions, functions, 0.0);
  for (Index f = 0; f < functions; ++f) {
    identity(f, f) = 1;
  }
  auto map = std::make_shared<const NystroemMap>(expansion.kernel(), expansion.centers(),
                                                 Matrix<double>::copy_of(expansion.coefficients()),
                                                 std::vector<double>(functions, 1.0), run);
  ModelHead changed = head();
  changed.report.notes.emplace_back("functions on other centres: the features are the functions themselves");
  return std::make_unique<MappedModel>(std::move(changed),
                                       Parts{.output = parts_.output,
                                             .kernel = parts_.kernel,
                                             .map = std::move(map),
                                             .weights = std::move(identity),
                                             .offsets = Matrix<double>::copy_of(expansion.parametric_coefficients())});
}

Matrix<double> MappedModel::values(const Samples& samples, const Run& run) const {
  const Index functions = parts_.weights.columns();
  Matrix<double> result(samples.size(), functions);
  if (expansion_) {
    expansion_->evaluate(samples, result.view(), run);
    return result;
  }
  require_finite(samples);
  const Index batch = mapped_batch_rows(parts_.map->columns());
  // Once without rows: the columns are looked at even then.
  for (Index b = 0; b < std::max<Index>(1, block_count(samples.size(), batch)); ++b) {
    const IndexRange range = block_range(samples.size(), batch, b);
    Matrix<double> features(range.size(), parts_.map->columns());
    parts_.map->transform(samples.slice(range), features.view(), run.quiet());
    const MatrixView<double> block = result.view().row_block(range);
    for (Index i = 0; i < block.rows(); ++i) {
      std::copy_n(parts_.offsets.data(), functions, block.row_data(i));
    }
    parallel_gemm<double>(1.0, features.view(), Transpose::no, parts_.weights.view(), Transpose::no, 1.0, block, run);
    run.progress("predictions", static_cast<double>(range.end), static_cast<double>(samples.size()));
  }
  return result;
}

Answers MappedModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Matrix<double> functions = values(samples, run);
  if (parts_.output == MappedOutput::values) {
    return {.predictions = std::move(functions)};
  }
  Answers answers;
  if (wanted.predictions) {
    answers.predictions = classes_of_values(functions.view());
  }
  if (wanted.probabilities) {
    answers.probabilities = logit_probabilities(functions.view());
  }
  answers.decisions = std::move(functions);
  return answers;
}

std::vector<std::string> MappedModel::decision_names() const {
  if (parts_.output == MappedOutput::values) {
    return {};
  }
  return classes().size() == 2 ? std::vector<std::string>{classes()[1]} : classes();
}

Matrix<double> logit_probabilities(ConstMatrixView<double> logits) {
  const Index classes = logits.columns() == 1 ? 2 : logits.columns();
  Matrix<double> result(logits.rows(), classes);
  for (Index i = 0; i < logits.rows(); ++i) {
    const std::span<const double> row = logits.row(i);
    if (row.size() == 1) {
      const double tail = 1 / (1 + std::exp(std::abs(row[0])));
      result(i, 1) = row[0] > 0 ? 1 - tail : tail;
      result(i, 0) = row[0] > 0 ? tail : 1 - tail;
      continue;
    }
    const double largest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (Index c = 0; c < classes; ++c) {
      result(i, c) = std::exp(row[c] - largest);
      sum += result(i, c);
    }
    for (Index c = 0; c < classes; ++c) {
      result(i, c) /= sum;
    }
  }
  return result;
}

void MappedModel::Parts::fields(Fields& visit) {
  const Index functions = output == MappedOutput::values ? visit.outputs() : functions_for_classes(visit.classes());
  visit.kernel(kernel);
  map_fields(visit, stored_map_kind(visit), kernel, map);
  visit.matrix("weights", weights, {map->columns(), functions});
  visit.matrix("offsets", offsets, {1, functions});
}

}  // namespace mercer
