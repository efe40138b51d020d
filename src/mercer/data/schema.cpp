#include "mercer/data/schema.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/data/numbered_column.h"

namespace mercer {

ColumnKind column_kind(const Samples& column) {
  switch (column.kind()) {
    case SampleKind::dense:
    case SampleKind::sparse:
      return ColumnKind::numeric;
    case SampleKind::categories:
      return ColumnKind::categorical;
    case SampleKind::strings:
      return ColumnKind::text;
    case SampleKind::sets:
      return ColumnKind::set;
    case SampleKind::bags:
      return ColumnKind::bag;
    case SampleKind::graphs:
      return ColumnKind::graph;
    case SampleKind::table:
      break;
  }
  throw InvalidArgument("a table cannot be a column of a table");
}

Schema schema_of(const Samples& samples) {
  Schema schema{.kind = samples.kind(), .numeric_columns = samples.is_numeric() ? samples.columns() : 0, .columns = {}};
  if (samples.kind() != SampleKind::table) {
    return schema;
  }
  const Table& table = samples.table();
  schema.numeric_columns = table.numeric().columns();
  for (const std::string& name : table.numeric_names()) {
    schema.columns.push_back({.name = name, .kind = ColumnKind::numeric});
  }
  for (const Table::Column& column : table.others()) {
    SchemaColumn described{.name = column.name, .kind = column_kind(column.values)};
    if (described.kind == ColumnKind::categorical) {
      const auto levels = column.values.as<CategoryRows>().levels;
      described.levels.assign(levels.begin(), levels.end());
    }
    schema.columns.push_back(std::move(described));
  }
  return schema;
}

namespace {

Samples without_last_columns(const Samples& samples, Index columns) {
  return select_columns(samples, {{ColumnSpan{0, columns}}});
}

Samples fit_numeric(const Samples& samples, const Schema& schema, const Run& run) {
  const Index found = samples.columns();
  if (found == schema.numeric_columns) {
    return samples;
  }
  if (samples.kind() == SampleKind::sparse && found < schema.numeric_columns) {
    return widened(samples, schema.numeric_columns);
  }
  if (samples.kind() == SampleKind::sparse && schema.numeric_columns > 0) {
    run.warn(std::to_string(found - schema.numeric_columns) + " columns beyond the " +
             std::to_string(schema.numeric_columns) + " of the training samples are left out");
    return without_last_columns(samples, schema.numeric_columns);
  }
  throw DataError("the samples have " + std::to_string(found) + " numeric columns where the training samples had " +
                  std::to_string(schema.numeric_columns));
}

Samples recoded(const Samples& column, const std::vector<std::string>& levels) {
  const auto& rows = column.as<CategoryRows>();
  std::unordered_map<std::string_view, std::int32_t> codes;
  for (std::size_t c = 0; c < levels.size(); ++c) {
    codes.emplace(levels[c], static_cast<std::int32_t>(c));
  }
  std::vector<std::int32_t> map;
  for (const std::string& level : rows.levels) {
    const auto known = codes.find(level);
    map.push_back(known == codes.end() ? -1 : known->second);
  }
  std::vector<std::int32_t> result;
  for (Index i = 0; i < rows.rows; ++i) {
    result.push_back(rows.codes[i] < 0 ? -1 : map[rows.codes[i]]);
  }
  return make_categories(std::move(result), levels);
}

using OtherColumns = std::unordered_map<std::string_view, const Samples*>;

const Samples& other_column(const OtherColumns& others, const SchemaColumn& wanted) {
  if (const auto column = others.find(wanted.name); column != others.end()) {
    if (const ColumnKind found = column_kind(*column->second); found != wanted.kind) {
      throw DataError("column '" + wanted.name + "' was of kind '" + std::string(to_string(wanted.kind)) +
                      "' when the model was fitted and is of kind '" + std::string(to_string(found)) + "' here");
    }
    return *column->second;
  }
  throw DataError("column '" + wanted.name + "' was of kind '" + std::string(to_string(wanted.kind)) +
                  "' when the model was fitted and is numeric here");
}

void require_present(const Table& table, const Schema& schema) {
  std::vector<std::string> names(table.numeric_names().begin(), table.numeric_names().end());
  for (const Table::Column& column : table.others()) {
    names.push_back(column.name);
  }
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  for (const SchemaColumn& column : schema.columns) {
    if (!known.contains(column.name)) {
      throw DataError("column '" + column.name + "' is missing; the model was fitted with it." +
                      did_you_mean(column.name, names));
    }
  }
}

// Samples without a name come from files and callers that know numbers only.
void require_numbers(const SchemaColumn& column) {
  if ((column.kind == ColumnKind::set || column.kind == ColumnKind::graph) && !column.levels.empty()) {
    throw DataError("the members or labels of column '" + column.name + "' were words such as '" +
                    column.levels.front() + "' when the model was fitted, and are numbers here");
  }
}

// Whether the columns are those of the schema already, codes and all.
bool is_described_by(const Table& table, const Schema& schema) {
  const auto names = table.numeric_names();
  const auto others = table.others();
  if (schema.columns.size() != names.size() + others.size()) {
    return false;
  }
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const SchemaColumn& wanted = schema.columns[c];
    if (c < names.size()) {
      if (wanted.kind != ColumnKind::numeric || wanted.name != names[c]) {
        return false;
      }
      continue;
    }
    const Table::Column& found = others[c - names.size()];
    if (wanted.name != found.name || wanted.kind != column_kind(found.values)) {
      return false;
    }
    if (wanted.kind == ColumnKind::categorical &&
        !std::ranges::equal(wanted.levels, found.values.as<CategoryRows>().levels)) {
      return false;
    }
  }
  return true;
}

Samples fit_table(const Samples& samples, const Schema& schema) {
  const Table& table = samples.table();
  require_present(table, schema);
  ColumnSelection numeric;
  std::vector<std::string> names;
  std::vector<Table::Column> others;
  const std::unordered_set<std::string_view> found(table.numeric_names().begin(), table.numeric_names().end());
  OtherColumns found_others;
  for (const Table::Column& column : table.others()) {
    found_others.emplace(column.name, &column.values);
  }
  for (const SchemaColumn& column : schema.columns) {
    if (column.kind == ColumnKind::numeric) {
      if (!found.contains(column.name)) {
        throw DataError("column '" + column.name +
                        "' was numeric when the model was fitted and holds texts here; look for entries that are not "
                        "numbers");
      }
      numeric.references.emplace_back(ColumnName{column.name});
      names.push_back(column.name);
    } else {
      const Samples& values = other_column(found_others, column);
      others.push_back({column.name, column.kind == ColumnKind::categorical ? recoded(values, column.levels) : values});
    }
  }
  Samples block(DenseRows<double>{nullptr, samples.size(), 0, 0, 1});
  if (!numeric.references.empty()) {
    block = select_columns(samples, numeric);
  }
  return make_table(Table(block, std::move(names), std::move(others))).with_identity_of(samples);
}

// Whether columns were called after their places in a file without names, so that rows of numbers will do.
bool has_places_for_names(const Schema& schema) {
  return schema.file_columns > 0 && std::ranges::all_of(schema.columns, [](const SchemaColumn& column) {
           return column.kind == ColumnKind::numeric && numbered_column(column.name);
         });
}

Samples with_place_names(const Samples& numeric, const Schema& schema) {
  std::vector<std::string> names;
  for (const SchemaColumn& column : schema.columns) {
    names.push_back(column.name);
  }
  return make_table(Table(numeric, std::move(names), {})).with_identity_of(numeric);
}

}  // namespace

Samples widened(const Samples& sparse, Index columns) {
  if (columns < sparse.columns()) {
    throw InvalidArgument("samples of " + std::to_string(sparse.columns()) + " columns cannot be seen as " +
                          std::to_string(columns));
  }
  const auto widen = [&](auto rows) {
    rows.columns = columns;
    return Samples(rows, std::make_shared<Samples>(sparse)).with_identity_of(sparse);
  };
  return std::holds_alternative<SparseRows<float>>(sparse.rows()) ? widen(sparse.as<SparseRows<float>>())
                                                                  : widen(sparse.as<SparseRows<double>>());
}

Samples apply_schema(const Samples& samples, const Schema& schema, const Run& run) {
  if (schema.kind == SampleKind::table && schema.columns.empty()) {
    if (samples.kind() == SampleKind::table && samples.columns() == schema.numeric_columns) {
      return samples;
    }
    // A table of numeric columns without names is no more than its block.
    return fit_numeric(default_columns(samples), schema, run);
  }
  if (schema.kind == SampleKind::table) {
    if (samples.kind() != SampleKind::table && schema.columns.size() == 1 && !samples.is_numeric() &&
        schema.columns.front().kind == column_kind(samples)) {
      require_numbers(schema.columns.front());
      return fit_table(make_table(Table(Samples(), {}, {{schema.columns.front().name, samples}})), schema)
          .with_identity_of(samples);
    }
    if (samples.is_numeric() && has_places_for_names(schema)) {
      return with_place_names(fit_numeric(samples, schema, run), schema);
    }
    if (samples.kind() != SampleKind::table) {
      throw DataError("the model was fitted on a table with named columns (the first is '" +
                      schema.columns.front().name + "'); these samples have no column names");
    }
    return is_described_by(samples.table(), schema) ? samples : fit_table(samples, schema);
  }
  if (schema.kind == SampleKind::dense || schema.kind == SampleKind::sparse) {
    const Samples numeric = default_columns(samples);
    if (!numeric.is_numeric()) {
      throw DataError("the model was fitted on real vectors; these samples are of kind '" +
                      std::string(to_string(samples.kind())) + "'");
    }
    return fit_numeric(numeric, schema, run);
  }
  const Samples only = default_columns(samples);
  if (only.kind() != schema.kind) {
    throw DataError("the model was fitted on samples of kind '" + std::string(to_string(schema.kind)) +
                    "'; these are of kind '" + std::string(to_string(samples.kind())) + "'");
  }
  return only;
}

}  // namespace mercer
