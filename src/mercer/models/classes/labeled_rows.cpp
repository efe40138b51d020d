#include "mercer/models/classes/labeled_rows.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

LabeledRows uncertain_labels(const TrainingData& data, const std::vector<Index>& rows) {
  const Matrix<double> values = data.targets.values();
  LabeledRows result{.rows = {}, .classes = {}, .levels = {"-1", "1"}, .weights = {}};
  for (const Index row : rows) {
    const double value = values(row, 0);
    if (!(std::abs(value) <= 1)) {
      throw DataError("svc: uncertain = yes needs targets between -1 and 1, row " + std::to_string(row) +
                      " (counted from 0) has " + shortest(value));
    }
    if (value != 0) {
      result.rows.push_back(row);
      result.classes.push_back(value > 0 ? 1 : 0);
      result.weights.push_back(std::abs(value) * (data.weights.empty() ? 1.0 : data.weights[row]));
    }
  }
  return result;
}

// Only classes that occur among the counted rows are classes of the model.
LabeledRows plain_labels(const TrainingData& data, const std::vector<Index>& rows) {
  const ClassLabels labels = data.targets.labels(0);
  std::vector<std::int32_t> number(labels.levels.size(), -1);
  const TargetColumn& column = data.targets.columns().front();
  for (const Index row : rows) {
    const std::int32_t code = labels.codes[row];
    if (code < 0 || (column.is_numeric() && std::isnan(column.values[row]))) {
      throw DataError("the target of row " + std::to_string(row) +
                      " (counted from 0) is missing; every row that counts needs a class");
    }
    number[code] = 0;
  }
  LabeledRows result;
  for (std::size_t level = 0; level < number.size(); ++level) {
    if (number[level] == 0) {
      number[level] = static_cast<std::int32_t>(result.levels.size());
      result.levels.push_back(labels.levels[level]);
    }
  }
  result.rows = rows;
  result.weights = weights_or_ones(data.weights, rows);
  for (const Index row : rows) {
    result.classes.push_back(number[labels.codes[row]]);
  }
  return result;
}

std::vector<double> balanced_weights(const LabeledRows& labeled) {
  std::vector<double> totals(labeled.levels.size(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < labeled.classes.size(); ++i) {
    totals[labeled.classes[i]] += labeled.weights[i];
    sum += labeled.weights[i];
  }
  for (double& total : totals) {
    total = sum / (static_cast<double>(totals.size()) * total);
  }
  return totals;
}

void apply_class_weights(const ClassWeights& class_weights, LabeledRows& labeled) {
  if (class_weights.are_alike()) {
    return;
  }
  const std::vector<double> weights = class_weights.are_balanced()
                                          ? balanced_weights(labeled)
                                          : numbers_of_levels("class_weight", class_weights.given(), labeled.levels);
  for (std::size_t i = 0; i < labeled.classes.size(); ++i) {
    labeled.weights[i] *= weights[labeled.classes[i]];
  }
}

}  // namespace

LabeledRows read_labels(const char* model, const TrainingData& data, LabelReading reading,
                        const ClassWeights& class_weight, OneClass one_class) {
  require_targets(data);
  if (data.targets.outputs() != 1) {
    throw DataError(std::string(model) + ": " + std::to_string(data.targets.outputs()) +
                    " targets: a classifier predicts one. Fit one model per target");
  }
  const std::vector<Index> rows = weighted_rows(data, model);
  LabeledRows labeled = reading == LabelReading::uncertain ? uncertain_labels(data, rows) : plain_labels(data, rows);
  std::vector<char> seen(labeled.levels.size(), 0);
  for (const std::int32_t c : labeled.classes) {
    seen[c] = 1;
  }
  if (one_class == OneClass::refuse && std::count(seen.begin(), seen.end(), 1) < 2) {
    throw DataError(std::string(model) + ": all rows that count belong to one class" +
                    (labeled.levels.empty() ? "" : " ('" + labeled.levels.front() + "')") +
                    "; a classifier needs two at least. For one class there are oneclass and svdd");
  }
  apply_class_weights(class_weight, labeled);
  return labeled;
}

}  // namespace mercer
