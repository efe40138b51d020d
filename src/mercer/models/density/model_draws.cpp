#include "mercer/models/density/model_draws.h"

#include <string>

#include "mercer/base/error.h"
#include "mercer/models/density/density_parts.h"

namespace mercer {

bool has_draws(const FittedModel& model) { return offered<SampleSource>(model) != nullptr; }

void scale_as_at_the_fit(const StoredModel& stored, std::span<const Index> columns, MatrixView<double> values) {
  const Scaling& scaling = stored.preparation.scaling;
  if (scaling.factor.empty()) {
    return;
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto column = static_cast<std::size_t>(columns[k]);
    if (columns[k] < 0 || column >= scaling.factor.size()) {
      throw InvalidArgument("there is no column " + std::to_string(columns[k]) + " among the " +
                            std::to_string(scaling.factor.size()) + " of the model (counted from 0)");
    }
    for (Index i = 0; i < values.rows(); ++i) {
      double& value = values(i, static_cast<Index>(k));
      value = scaling.base + (value - scaling.offset[column]) * scaling.factor[column];
    }
  }
}

Matrix<double> draw_samples(const StoredModel& stored, HeldColumns held, Index count, const Run& run) {
  if (count < 0) {
    reject_argument("count", static_cast<double>(count), "0 or more");
  }
  const std::vector<double> given = held.values;
  if (held.columns.size() == held.values.size()) {  // otherwise draw_given() says so
    scale_as_at_the_fit(stored, held.columns, {held.values.data(), 1, static_cast<Index>(held.values.size())});
  }
  const auto* const source = offered<SampleSource>(*stored.model);
  if (source == nullptr) {
    throw InvalidArgument("a model " + stored.model->name() +
                          " is nothing to draw samples from; kde and histogram are");
  }
  Matrix<double> result = source->draw(held, count, run);
  stored.preparation.scaling.undo(result.view());
  for (std::size_t k = 0; k < given.size(); ++k) {
    for (Index i = 0; i < count; ++i) {
      result(i, held.columns[k]) = given[k];  // not as scaling rounds it
    }
  }
  return result;
}

}  // namespace mercer
