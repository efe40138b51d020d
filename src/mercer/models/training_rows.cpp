#include "mercer/models/training_rows.h"

#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

std::vector<Index> weighted_rows(const TrainingData& data, const char* model) {
  const Index n = data.samples.size();
  if (!data.weights.empty() && static_cast<Index>(data.weights.size()) != n) {
    throw DataError(std::to_string(n) + " samples with " + std::to_string(data.weights.size()) +
                    " weights: one weight per sample is needed");
  }
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    const double weight = data.weights.empty() ? 1.0 : data.weights[static_cast<std::size_t>(i)];
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw DataError("the weight of row " + std::to_string(i) + " (counted from 0) is " + shortest(weight) +
                      "; weights must be finite and not negative");
    }
    if (weight > 0) {
      rows.push_back(i);
    }
  }
  if (rows.empty()) {
    throw DataError(std::string(model) +
                    (n == 0 ? ": there are no rows to fit" : ": all weights are 0, no row is left to fit"));
  }
  return rows;
}

CountedRows counted_rows(const char* model, const TrainingData& data) {
  CountedRows result;
  result.rows = weighted_rows(data, model);
  const bool all = static_cast<Index>(result.rows.size()) == data.samples.size();
  result.samples = all ? data.samples : data.samples.select(result.rows);
  if (!data.weights.empty()) {
    for (const Index row : result.rows) {
      result.weights.push_back(data.weights[static_cast<std::size_t>(row)]);
    }
  }
  return result;
}

void require_targets(const TrainingData& data) {
  if (data.targets.size() != data.samples.size()) {
    throw DataError(std::to_string(data.samples.size()) + " samples with " + std::to_string(data.targets.size()) +
                    " targets: one target per sample is needed");
  }
}

}  // namespace mercer
