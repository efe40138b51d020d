#include "mercer/data/files/series_rows.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/kept_rows.h"
#include "mercer/data/files/table_layout.h"

namespace mercer {

namespace {

// Columns without names are called after their places.
void require_named_columns(DataFile& file) {
  if (file.samples.kind() == SampleKind::dense) {
    if (!file.weights.empty() || !file.noise.empty() || !file.groups.codes.empty()) {
      throw DataError(
          "a series beside weights, noise or groups must stand in a table (CSV or JSON lines): this file is "
          "read as " +
          std::string(to_string(file.format)));
    }
    file.samples = with_numbered_columns(file.samples);
    file.schema = schema_of(file.samples);
    file.schema.file_columns = file.samples.columns();
  }
  if (file.samples.kind() != SampleKind::table) {
    throw DataError("a series is a column of a table: this file is read as " + std::string(to_string(file.format)));
  }
}

// What stands behind the embedding, in the order of Table.
Schema schema_with_lags(const Schema& schema, const Embedding& embedding) {
  Schema after = schema;
  std::erase_if(after.columns, [&](const SchemaColumn& column) { return column.name == embedding.series.name; });
  std::vector<SchemaColumn> lags;
  for (const std::string& name : embedding.names()) {
    lags.push_back({.name = name, .kind = ColumnKind::numeric});
  }
  after.columns.insert(after.columns.begin(), lags.begin(), lags.end());
  after.numeric_columns = schema.numeric_columns - 1 + embedding.delays.lags;
  return after;
}

}  // namespace

void read_as_series(ReadOptions& options) {
  options.targets.clear();
  // Subscripts name lags, which no file has.
  options.needed.clear();
  options.complete.clear();
  options.empty_lines = EmptyLines::rows;
}

Embedding find_embedding(DataFile& file, const std::string& reference, const Delays& delays) {
  require_named_columns(file);
  std::vector<std::string> names = file.columns;
  if (names.empty()) {
    for (const SchemaColumn& column : file.schema.columns) {
      names.push_back(column.name);
    }
  }
  const std::vector<std::size_t> found = find_columns(reference, names);
  if (found.empty()) {
    throw DataError("there is no column '" + reference + "', the series." + did_you_mean(reference, names));
  }
  if (found.size() != 1) {
    throw DataError("the series '" + reference + "' means " + std::to_string(found.size()) +
                    " columns of the file, and must mean one");
  }
  const std::string& name = names[found.front()];
  const auto column = std::ranges::find(file.schema.columns, name, &SchemaColumn::name);
  if (column == file.schema.columns.end()) {
    throw DataError("column '" + name + "' is the series, and cannot be left out or serve another purpose");
  }
  if (column->kind != ColumnKind::numeric) {
    throw DataError("column '" + name + "' is the series, and holds values that are no numbers");
  }
  return {.series = *column, .delays = delays};
}

SeriesGaps embed_file(DataFile& file, const Embedding& embedding, SeriesValue wanted) {
  require_named_columns(file);
  EmbeddedRows embedded = embed_rows(file.samples, file.kept_rows, embedding, wanted);
  if (!embedded.rows.empty() || file.samples.size() > 0) {
    keep_rows(file, embedded.rows);
  }
  file.samples = std::move(embedded.samples);
  file.schema = schema_with_lags(file.schema, embedding);
  const std::vector<std::string> lags = embedding.names();
  file.columns.insert(file.columns.end(), lags.begin(), lags.end());
  file.targets.reset();
  if (wanted == SeriesValue::needed) {
    file.targets = Targets::numeric(std::move(embedded.values), embedding.series.name);
  }
  return {.beginning = embedded.beginning, .missing = embedded.missing};
}

}  // namespace mercer
