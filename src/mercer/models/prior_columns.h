// The columns that raw rows must have where a preparation has a prior function: those of the schema, and others that the prior
// function alone looks at, whatever the kernel, flags and the coding of the new model leave out.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>

#include "mercer/data/preparation.h"
#include "mercer/models/prior.h"

namespace mercer {

/// The prior function of a model; null: none, or one that is made of code.
inline const PriorModel* prior_model(const Preparation& preparation) {
  return dynamic_cast<const PriorModel*>(preparation.prior.get());
}

/// The schema with the columns of another one that it has not, and with the levels of its categories that it has not, behind
/// its own: so that one reading of a table serves both. As it is where it has no columns with names.
inline Schema with_columns_of(Schema schema, const Schema& other) {
  if (schema.columns.empty()) {
    return schema;
  }
  for (const SchemaColumn& column : other.columns) {
    const auto own = std::ranges::find(schema.columns, column.name, &SchemaColumn::name);
    if (own == schema.columns.end()) {
      const bool is_number = column.kind == ColumnKind::numeric;
      schema.columns.insert(is_number ? schema.columns.begin() + schema.numeric_columns : schema.columns.end(), column);
      schema.numeric_columns += is_number ? 1 : 0;
    } else if (own->kind == ColumnKind::categorical && column.kind == ColumnKind::categorical) {
      const std::vector<std::string> known = own->levels;
      std::ranges::copy_if(column.levels, std::back_inserter(own->levels),
                           [&](const std::string& level) { return std::ranges::find(known, level) == known.end(); });
    }
  }
  return schema;
}

/// The columns of raw rows, those of a series with their past.
inline Schema rows_schema(const Preparation& preparation) {
  const PriorModel* const prior = prior_model(preparation);
  return prior == nullptr ? preparation.schema
                          : with_columns_of(preparation.schema, rows_schema(prior->stored().preparation));
}

/// The columns of a file.
inline Schema file_schema(const Preparation& preparation) {
  return preparation.embedding ? preparation.embedding->before(rows_schema(preparation)) : rows_schema(preparation);
}

}  // namespace mercer
