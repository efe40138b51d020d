#include "mercer/report/predictions.h"

#include <algorithm>
#include <map>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/fitted_quantiles.h"
#include "mercer/report/confidence.h"

namespace mercer {

namespace {

const Targets& require_targets(const FittedModel& model, const Targets* targets) {
  const std::vector<std::string> names = output_headings(model);
  const auto wanted = static_cast<Index>(names.size());
  const Index found = targets == nullptr ? 0 : targets->outputs();
  if (found != wanted) {
    throw DataError(std::to_string(found) + " of the model's targets found (" + join(names, ", ") +
                    "): the true values are needed for a comparison");
  }
  return *targets;
}

void add_distribution(const FittedModel& model, const Samples& samples, std::span<const double> levels,
                      Predictions& result, const Run& run) {
  if (!model.has_distribution() || samples.size() == 0) {
    return;
  }
  const auto distribution = model.distribution(samples, run);
  result.log_density = distribution->log_density(result.truth.view());
  if (!levels.empty()) {
    result.levels.assign(levels.begin(), levels.end());
    result.quantiles = distribution->quantiles(levels, PredictionOf::observation);
    result.scored_levels = scored_levels(model);
    result.scored_quantiles = distribution->quantiles(result.scored_levels, PredictionOf::observation);
    result.fits_quantiles = offered<FittedQuantiles>(model) != nullptr;
  }
}

void add_labels(ClassLabels labels, Predictions& result) {
  result.labels = std::move(labels.codes);
  result.label_names = std::move(labels.levels);
}

// One below the other; those without rows may be without columns.
Matrix<double> stacked(const std::vector<Predictions>& blocks, Matrix<double> Predictions::* part) {
  Index rows = 0;
  Index columns = 0;
  for (const Predictions& block : blocks) {
    rows += (block.*part).rows();
    columns = std::max(columns, (block.*part).columns());
  }
  Matrix<double> result(rows, columns);
  double* out = result.data();
  for (const Predictions& block : blocks) {
    out = std::copy_n((block.*part).data(), (block.*part).rows() * (block.*part).columns(), out);
  }
  return result;
}

// The same label has the same number in all blocks.
void append_labels(const Predictions& block, std::map<std::string, std::int32_t>& numbers, Predictions& all) {
  std::vector<std::int32_t> map;
  for (const std::string& name : block.label_names) {
    const auto [number, is_new] = numbers.emplace(name, static_cast<std::int32_t>(numbers.size()));
    map.push_back(number->second);
    if (is_new) {
      all.label_names.push_back(name);
    }
  }
  for (const std::int32_t code : block.labels) {
    all.labels.push_back(code < 0 ? code : map[code]);
  }
}

}  // namespace

void label_novelty(const Targets& targets, Predictions& predictions) {
  if (targets.outputs() != 1) {
    return;
  }
  const ClassLabels labels = targets.labels(0);
  if (labels.levels.size() != 2) {
    return;
  }
  predictions.label_names = labels.levels;
  for (const std::int32_t code : labels.codes) {
    predictions.normal.push_back(code == 1 ? 1 : 0);
  }
}

Predictions joined(std::vector<Predictions> blocks) {
  if (blocks.size() == 1) {
    return std::move(blocks.front());
  }
  Predictions all;
  for (const auto part :
       {&Predictions::values, &Predictions::decisions, &Predictions::probabilities, &Predictions::truth,
        &Predictions::log_density, &Predictions::quantiles, &Predictions::scored_quantiles}) {
    all.*part = stacked(blocks, part);
  }
  std::map<std::string, std::int32_t> numbers;
  for (const Predictions& block : blocks) {
    all.classes.insert(all.classes.end(), block.classes.begin(), block.classes.end());
    all.confidence.insert(all.confidence.end(), block.confidence.begin(), block.confidence.end());
    append_labels(block, numbers, all);
    if (!block.levels.empty()) {
      all.levels = block.levels;
      all.scored_levels = block.scored_levels;
      all.fits_quantiles = block.fits_quantiles;
    }
  }
  return all;
}

std::vector<double> column_of(const Matrix<double>& matrix, Index column) {
  std::vector<double> values;
  values.reserve(matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i) {
    values.push_back(matrix(i, column));
  }
  return values;
}

std::vector<std::string> output_headings(const FittedModel& model) {
  std::vector<std::string> names = model.output_names();
  for (std::size_t o = 0; o < names.size(); ++o) {
    if (names[o].empty()) {
      names[o] = names.size() == 1 ? "prediction" : "prediction " + std::to_string(o);
    }
  }
  return names;
}

Predictions predict_all(const FittedModel& model, const Samples& samples, const Targets* targets,
                        std::span<const double> quantile_levels, const Run& run, DecisionValues decisions) {
  Predictions result;
  const bool scored = model.task() == Task::novelty || (model.classes().size() == 2 && !model.has_probabilities());
  // Residuals of features are no decisions, and may cost more than the features.
  const bool decides = !model.decision_names().empty() && model.task() != Task::features;
  Answers answers = model.answer(samples,
                                 {.predictions = true,
                                  .decisions = decides && (decisions == DecisionValues::all || scored),
                                  .probabilities = model.has_probabilities()},
                                 run);
  result.values = std::move(answers.predictions);
  result.decisions = std::move(answers.decisions);
  result.probabilities = std::move(answers.probabilities);
  switch (model.task()) {
    case Task::regression:
      result.truth = require_targets(model, targets).values();
      add_distribution(model, samples, quantile_levels, result, run);
      break;
    case Task::classification:
      result.classes = require_targets(model, targets).labels(0, model.classes()).codes;
      add_labels(targets->labels(0), result);
      result.confidence = answer_confidence(model, result);
      break;
    case Task::novelty:
      if (targets != nullptr) {
        label_novelty(*targets, result);
      }
      break;
    case Task::features:
    case Task::density:
      break;
    case Task::clustering:
      for (Index i = 0; i < result.values.rows(); ++i) {
        result.classes.push_back(static_cast<std::int32_t>(result.values(i, 0)));
      }
      break;
  }
  return result;
}

}  // namespace mercer
