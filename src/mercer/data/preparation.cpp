#include "mercer/data/preparation.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mercer {

Samples Preparation::apply(const Samples& raw, const Run& run) const { return scaling.apply(coded(raw, run), run); }

Samples Preparation::coded(const Samples& raw, const Run& run) const {
  const Samples described = apply_schema(raw, schema, run);
  Samples samples = coding.apply(described, schema, run);
  // A table may have columns for the prior function that the schema leaves out.
  const Samples& known = raw.kind() == SampleKind::table ? raw : described;
  return prior ? samples.with_offsets(prior->values(known, run)) : samples;
}

std::vector<std::string> Preparation::numeric_names() const {
  std::vector<std::string> names;
  for (Index j = 0; j < schema.numeric_columns; ++j) {
    names.push_back(schema.columns.empty() ? std::to_string(j) : schema.columns[j].name);
  }
  std::ranges::move(coding.indicator_names(schema), std::back_inserter(names));
  return names;
}

Preparation fit_preparation(Schema schema, const CodingRule& coding, const ScalingRule& scaling,
                            const WeightedSamples& raw, StoredPrecision precision) {
  SchemaCoding coded = fit_coding(coding, std::move(schema), raw);
  Preparation preparation{
      .schema = std::move(coded.schema), .coding = std::move(coded.coding), .scaling = {}, .precision = precision};
  preparation.scaling = fit_scaling(scaling, raw.with(preparation.coded(raw.samples)));
  return preparation;
}

Preparation fit_preparation(const WeightedSamples& raw) {
  return fit_preparation(schema_of(raw.samples), {}, default_scaling(raw.samples), raw);
}

}  // namespace mercer
