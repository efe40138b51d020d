#include "mercer/models/stored_model.h"

#include <utility>

#include "mercer/kernels/column_uses.h"
#include "mercer/models/density/density_units.h"

namespace mercer {

Answers StoredModel::answer(const Samples& raw, AnswersWanted wanted, const Run& run) const {
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
