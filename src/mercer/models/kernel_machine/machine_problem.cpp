#include "mercer/models/kernel_machine/machine_problem.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/random.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/widths.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/kernel_machine/kernel_machine.h"
#include "mercer/models/prototypes/expansion_classifier.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

constexpr std::uint64_t drawn_stream = 0x6d616368696eULL;

}  // namespace

MachineRows MachineRows::select(std::span<const Index> numbers) const {
  MachineRows part{.model = model,
                   .samples = samples.select(numbers),
                   .weights = {},
                   .counts = select_weights(counts, numbers),
                   .values = matrix_rows(values.view(), numbers),
                   .family = family,
                   .output_names = output_names,
                   .levels = levels,
                   .classes = {}};
  for (const Index i : numbers) {
    part.weights.push_back(weights[i]);
    if (!classes.empty()) {
      part.classes.push_back(classes[i]);
    }
  }
  return part;
}

MachineRows regression_rows(const char* model, const Kernel& kernel, const TrainingData& given, ChosenBy chosen,
                            GlmFamily response) {
  require_target_numbers(given, model);
  const TrainingData data = merged_unless_in_folds(model, kernel, given, chosen);
  const std::vector<Index> rows = weighted_rows(data, model);
  MachineRows result;
  result.model = model;
  result.samples = counted_samples(data.samples, rows);
  result.weights = weights_or_ones(data.weights, rows);
  result.counts = select_weights(data.weights, rows);
  result.values = data.targets.finite_values(rows);
  result.family = response;
  for (const TargetColumn& column : data.targets.columns()) {
    result.output_names.push_back(column.name);
  }
  result.left_out = data.samples.size() - result.size();
  result.targets().validate();
  return result;
}

MachineRows class_rows(const char* model, const TrainingData& data, const ClassWeights& class_weight) {
  LabeledRows labeled = read_labels(model, data, LabelReading::classes, class_weight);
  const auto count = static_cast<Index>(labeled.levels.size());
  MachineRows result;
  result.model = model;
  result.samples = counted_samples(data.samples, labeled.rows);
  result.counts = select_weights(data.weights, labeled.rows);
  result.weights = std::move(labeled.weights);
  result.values = Matrix<double>::filled(result.size(), functions_for_classes(count), 0.0);
  result.family = class_response(count);
  result.output_names = {data.targets.columns().front().name};
  result.levels = std::move(labeled.levels);
  result.classes = std::move(labeled.classes);
  for (Index i = 0; i < result.size(); ++i) {
    const Index c = result.classes[i];
    if (count > 2 || c == 1) {
      result.values(i, count > 2 ? c : 0) = 1;
    }
  }
  result.left_out = data.samples.size() - result.size();
  return result;
}

std::vector<Index> drawn_rows(const MachineRows& rows, Index most, const Run& run) {
  const Index n = rows.size();
  RandomStream random(run.seed(), drawn_stream);
  const std::vector<Index> order = random_permutation(random, n);
  std::vector<Index> quota(std::max<std::size_t>(1, rows.levels.size()), rows.classes.empty() ? n : 0);
  for (const std::int32_t c : rows.classes) {
    ++quota[c];
  }
  for (Index& share : quota) {
    share = most == 0 || n <= most ? share : std::max<Index>(1, share * most / n);
  }
  std::vector<Index> chosen;
  for (const Index i : order) {
    Index& left = quota[rows.classes.empty() ? 0 : static_cast<std::size_t>(rows.classes[i])];
    if (left > 0) {
      --left;
      chosen.push_back(i);
    }
  }
  std::ranges::sort(chosen);
  return chosen;
}

MachineFeatures machine_features(const MachineRows& rows, const Kernel& kernel, const PrototypeChoice& choice,
                                 double memory_mb, double copies, const Run& run) {
  MachineFeatures result{.kernel = resolve_widths(kernel, rows.weighted(), run), .prototypes = {}, .values = {}};
  result.prototypes = choose_prototypes(rows.model, choice, result.kernel, rows.samples, rows.weights, memory_mb, run);
  const Index n = rows.size();
  const Index m = result.prototypes.size();
  require_machine_memory(rows.model, (1 + copies) * 8.0 * static_cast<double>(n) * static_cast<double>(m), memory_mb,
                         "fewer prototypes (prototypes=kmeans or pivoted, with count)");
  result.values = Matrix<double>(n, m);
  const auto prepared =
      std::make_shared<const PreparedKernel>(result.kernel, result.prototypes, Precision::double_precision, run);
  CrossGram<double>(prepared, rows.samples, run).evaluate(result.values.view(), run);
  return result;
}

void require_machine_memory(const char* model, double bytes, double memory_mb, const std::string& advice) {
  const double allowed = allowed_memory(memory_mb);
  if (bytes > allowed) {
    throw InvalidArgument(std::string(model) + ": the fit needs " +
                          std::to_string(std::llround(bytes / bytes_per_megabyte)) + " MB of matrices and may use " +
                          std::to_string(std::llround(allowed / bytes_per_megabyte)) + " MB; try " + advice);
  }
}

Matrix<double> matrix_rows(ConstMatrixView<double> matrix, std::span<const Index> numbers) {
  Matrix<double> part(static_cast<Index>(numbers.size()), matrix.columns());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::ranges::copy(matrix.row(numbers[i]), part.view().row(static_cast<Index>(i)).begin());
  }
  return part;
}

Expansion machine_expansion(const Kernel& kernel, const Samples& prototypes, const GlmPoint& point, const Run& run) {
  const Index outputs = point.coefficients.columns();
  const auto count = static_cast<std::size_t>(point.coefficients.rows() * outputs);
  if (std::all_of(point.coefficients.data(), point.coefficients.data() + count, [](double a) { return a == 0; })) {
    Matrix<double> parametric(1, outputs);
    std::ranges::copy(point.intercepts, parametric.view().row(0).begin());
    return Expansion(kernel, prototypes.select(std::vector<Index>{0}), Matrix<double>::filled(1, outputs, 0.0),
                     ParametricPart::constant, std::move(parametric), Precision::double_precision, run);
  }
  return compact_expansion(kernel, prototypes, Matrix<double>::copy_of(point.coefficients.view()), point.intercepts,
                           run);
}

}  // namespace mercer
