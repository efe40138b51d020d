#include "mercer/data/preparation.h"

#include <utility>

namespace mercer {

Samples Preparation::apply(const Samples& raw, const Run& run) const {
  return scaling.apply(apply_schema(raw, schema, run), run);
}

std::vector<std::string> Preparation::numeric_names() const {
  std::vector<std::string> names;
  for (Index j = 0; j < schema.numeric_columns; ++j) {
    names.push_back(schema.columns.empty() ? std::to_string(j) : schema.columns[j].name);
  }
  return names;
}

Preparation fit_preparation(Schema schema, const ScalingRule& rule, const WeightedSamples& raw,
                            StoredPrecision precision) {
  return {.schema = std::move(schema), .scaling = fit_scaling(rule, raw), .precision = precision};
}

Preparation fit_preparation(const WeightedSamples& raw) {
  return fit_preparation(schema_of(raw.samples), default_scaling(raw.samples), raw);
}

}  // namespace mercer
