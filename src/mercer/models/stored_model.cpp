#include "mercer/models/stored_model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "mercer/kernels/column_uses.h"
#include "mercer/models/density/density_units.h"

namespace mercer {

namespace {

// Answers of these rows among so many; NaN for the others.
Matrix<double> spread_rows(const Matrix<double>& answers, std::span<const Index> rows, Index count) {
  Matrix<double> all = Matrix<double>::filled(count, answers.columns(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(answers.view().row(static_cast<Index>(i)), all.view().row_data(rows[i]));
  }
  return all;
}

bool has_column(const Samples& samples, const std::string& name) {
  return samples.kind() == SampleKind::table &&
         std::ranges::find(samples.table().numeric_names(), name) != samples.table().numeric_names().end();
}

}  // namespace

Answers StoredModel::answer(const Samples& raw, AnswersWanted wanted, const Run& run) const {
  if (preparation.embedding && !has_column(raw, preparation.embedding->names().front())) {
    const EmbeddedRows rows = embed_rows(with_numbered_columns(raw), {}, *preparation.embedding, SeriesValue::any);
    Answers answers = answer_prepared(preparation.apply(rows.samples, run), wanted, run);
    for (Matrix<double>* const part : {&answers.predictions, &answers.decisions, &answers.probabilities}) {
      *part = part->columns() > 0 ? spread_rows(*part, rows.rows, raw.size()) : Matrix<double>();
    }
    return answers;
  }
  return answer_prepared(preparation.apply(raw, run), wanted, run);
}

Matrix<double> StoredModel::predict(const Samples& raw, const Run& run) const {
  return answer(raw, {.predictions = true}, run).predictions;
}

Answers StoredModel::answer_prepared(const Samples& prepared, AnswersWanted wanted, const Run& run) const {
  Answers answers = model->answer(prepared, wanted, run);
  if (model->task() == Task::density && wanted.predictions) {
    const double shift = log_density_factor(*this);
    for (Index i = 0; i < answers.predictions.rows(); ++i) {
      answers.predictions(i, 0) += shift;
    }
  }
  return answers;
}

ScalingRule usual_scaling(const ModelEntry& entry, const std::optional<Kernel>& kernel, const Samples& samples) {
  const bool keeps_units = entry.task == Task::density || (kernel && column_uses(*kernel).takes_matrix);
  return keeps_units ? ScalingRule{} : default_scaling(samples);
}

CodingRule usual_coding(const ModelEntry& entry, const std::optional<Kernel>& kernel,
                        std::optional<MissingRule> missing) {
  if (entry.task == Task::density) {
    return {.missing = missing.value_or(MissingRule::reject)};
  }
  if (kernel) {
    return coding_for(*kernel, missing);
  }
  return {.missing = missing.value_or(MissingRule::indicator), .unnamed = CodingRule::Unnamed::coded};
}

StoredModel fit_stored_model(const ModelEntry& entry, const std::optional<Kernel>& kernel,
                             std::span<const OptionSetting> settings, const TrainingData& prepared,
                             Preparation preparation, const Run& run) {
  StoredModel stored{.model = entry.fit(kernel, settings, prepared, run), .preparation = std::move(preparation)};
  if (!stored.model->classes().empty() && prepared.targets.outputs() > 0) {
    stored.label_kind = prepared.targets.label_kind(0);
  }
  return stored;
}

}  // namespace mercer
