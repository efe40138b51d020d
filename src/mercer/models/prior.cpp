#include "mercer/models/prior.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

std::vector<std::string> models_with_prior() {
  std::vector<std::string> names;
  for (const ModelEntry* entry : model_registry()) {
    if (entry->takes_prior) {
      names.push_back(entry->name);
    }
  }
  return names;
}

void require_prior_taken(const std::string& model, bool takes_prior) {
  if (!takes_prior) {
    throw InvalidArgument(model + " takes no prior function; models that do: " + join(models_with_prior(), ", "));
  }
}

void require_one_offset_per_target(Index offsets, Index targets) {
  if (offsets != targets) {
    throw InvalidArgument("the prior function has " + std::to_string(offsets) +
                          (offsets == 1 ? " output" : " outputs") + ", and there " +
                          (targets == 1 ? "is 1 target" : "are " + std::to_string(targets) + " targets") +
                          ": it must be of the same targets");
  }
}

TargetColumn less(TargetColumn column, const Matrix<double>& offsets, Index output) {
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    column.values[i] -= offsets(static_cast<Index>(i), output);
  }
  return column;
}

// Alone, such a model leaves rows with missing values out or refuses them, when it reads them; its medians are for those who
// ask for them.
void require_complete(const Preparation& preparation, const Samples& rows, const Run& run) {
  const MissingRule rule = preparation.coding.missing;
  if (!preparation.coding.is_fitted || (rule != MissingRule::reject && rule != MissingRule::drop)) {
    return;
  }
  const Samples described = apply_schema(rows, preparation.schema, run.quiet());
  const CodingGaps gaps = find_gaps(preparation.coding, described, preparation.schema);
  if (!gaps.filled.empty()) {
    throw DataError("rows with missing values (" + describe(gaps.filled) + "), and it was fitted with --missing " +
                    std::string(to_string(rule)) + ": fit it with --missing fill, or leave these rows out");
  }
}

}  // namespace

PriorModel::PriorModel(StoredModel stored) : stored_(std::move(stored)) {
  if (stored_.model->task() != Task::regression) {
    throw InvalidArgument("the prior function must be a model of quantities; " + stored_.model->name() +
                          " is one for " + std::string(to_string(stored_.model->task())));
  }
}

Matrix<double> PriorModel::values(const Samples& rows, const Run& run) const {
  try {
    require_complete(stored_.preparation, rows, run);
    return stored_.predict(rows, run);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    throw DataError("the prior function (" + stored_.model->name() + ") has no values at these rows: " + error.what());
  }
}

Samples with_zero_offsets(const Samples& samples, Index outputs) {
  return samples.with_offsets(Matrix<double>::filled(samples.size(), outputs, 0.0));
}

TrainingData beyond_offsets(const TrainingData& data) {
  const Matrix<double>* const offsets = data.samples.offsets();
  if (offsets == nullptr) {
    return data;
  }
  if (data.targets.outputs() == 0) {
    throw InvalidArgument("a prior function needs targets");
  }
  require_one_offset_per_target(offsets->columns(), data.targets.outputs());
  if (data.targets.size() != data.samples.size()) {
    return data;  // the fit says what is wrong
  }
  std::vector<TargetColumn> columns;
  for (const TargetColumn& column : data.targets.columns()) {
    columns.push_back(less(column, *offsets, static_cast<Index>(columns.size())));
  }
  return {.samples = with_zero_offsets(data.samples, offsets->columns()),
          .targets = Targets(std::move(columns)),
          .weights = data.weights,
          .noise = data.noise,
          .groups = data.groups};
}

void add_offsets_to_answers(FittedModel& model) { model.head_.adds_offsets = true; }

FitFunction fit_beyond_offsets(const std::string& model, bool takes_prior, FitFunction fit) {
  return [model, takes_prior, fit = std::move(fit)](const std::optional<Kernel>& kernel,
                                                    std::span<const OptionSetting> settings, const TrainingData& data,
                                                    const Run& run) {
    if (data.samples.offsets() == nullptr) {
      return fit(kernel, settings, data, run);
    }
    require_prior_taken(model, takes_prior);
    std::unique_ptr<FittedModel> fitted = fit(kernel, settings, beyond_offsets(data), run);
    add_offsets_to_answers(*fitted);
    return fitted;
  };
}

}  // namespace mercer
