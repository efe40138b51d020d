#include "mercer/data/csv_text.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/csv_layout.h"

namespace mercer {

namespace {

// A column without a single value would cost every row.
void leave_out_empty_columns(CsvLayout& layout, const Run& run) {
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const CsvColumn& column = layout.columns[c];
    if (layout.roles[c] == CsvRole::input && column.is_numeric() && column.size() > 0 &&
        column.missing_count() == column.size()) {
      layout.roles[c] = CsvRole::ignored;
      run.warn("column '" + column.name() + "' holds no values and is left out");
    }
  }
}

void check_values(const CsvColumn& column, CsvRole role, const ReadOptions& options) {
  if (const auto odd = column.odd_word()) {
    throw DataError(odd->place, "column '" + column.name() + "': '" + odd->text + "' is not a number, but " +
                                    std::to_string(odd->numbers) + " of the " +
                                    std::to_string(odd->numbers + odd->words) +
                                    " fields are; correct it, or declare the column categorical or text "
                                    "(--categorical, --text)");
  }
  if (column.kind() == ColumnKind::numeric) {
    if (column.has_missing() && options.missing == MissingValues::reject) {
      throw DataError(column.first_missing(), "column '" + column.name() + "': the value is missing (" +
                                                  std::to_string(column.missing_count()) +
                                                  " in this column); fill it in, or drop rows with missing values");
    }
    if (column.first_infinite() && options.non_finite == NonFinite::reject) {
      throw DataError(*column.first_infinite(), "column '" + column.name() + "': the value is not finite");
    }
  } else if (role == CsvRole::target && column.first_empty() && options.missing == MissingValues::reject) {
    throw DataError(*column.first_empty(), "target '" + column.name() +
                                               "': the label is missing; fill it in, or drop rows with missing values");
  }
}

// Which rows have every number and every target.
std::vector<Index> complete_rows(const CsvLayout& layout, Index rows) {
  std::vector<char> complete(static_cast<std::size_t>(rows), 1);
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const CsvColumn& column = layout.columns[c];
    if (layout.roles[c] == CsvRole::ignored) {
      continue;
    }
    if (column.kind() == ColumnKind::numeric && column.has_missing()) {
      for (std::size_t i = 0; i < complete.size(); ++i) {
        complete[i] = static_cast<char>(complete[i] != 0 && !std::isnan(column.values()[i]) ? 1 : 0);
      }
    } else if (layout.roles[c] == CsvRole::target && column.kind() != ColumnKind::numeric && column.first_empty()) {
      const std::vector<std::string> texts = column.strings();
      for (std::size_t i = 0; i < complete.size(); ++i) {
        complete[i] = static_cast<char>(complete[i] != 0 && !texts[i].empty() ? 1 : 0);
      }
    }
  }
  std::vector<Index> kept;
  for (std::size_t i = 0; i < complete.size(); ++i) {
    if (complete[i] != 0) {
      kept.push_back(static_cast<Index>(i));
    }
  }
  return kept;
}

template <class T>
Samples numeric_block(const std::vector<const CsvColumn*>& columns, Index rows) {
  Matrix<T> block(rows, static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::vector<double>& values = columns[j]->values();
    for (Index i = 0; i < rows; ++i) {
      block(i, static_cast<Index>(j)) = static_cast<T>(values[static_cast<std::size_t>(i)]);
    }
  }
  return make_dense(std::move(block));
}

Samples make_inputs(const CsvLayout& layout, const ReadOptions& options, Index rows) {
  std::vector<const CsvColumn*> numeric;
  std::vector<std::string> names;
  std::vector<Table::Column> others;
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const CsvColumn& column = layout.columns[c];
    if (layout.roles[c] != CsvRole::input) {
      continue;
    }
    if (column.kind() == ColumnKind::numeric) {
      numeric.push_back(&column);
      names.push_back(column.name());
    } else if (column.kind() == ColumnKind::categorical) {
      ClassLabels labels = column.labels();
      others.push_back({column.name(), make_categories(std::move(labels.codes), std::move(labels.levels))});
    } else {
      others.push_back({column.name(), make_strings(column.strings())});
    }
  }
  Samples block = options.precision == StoredPrecision::float32 ? numeric_block<float>(numeric, rows)
                                                                : numeric_block<double>(numeric, rows);
  if (!layout.named && others.empty()) {
    return block;
  }
  return make_table(Table(std::move(block), std::move(names), std::move(others)));
}

TargetColumn make_target(const CsvColumn& column) {
  TargetColumn target;
  target.name = column.name();
  if (column.is_numeric()) {
    target.values = column.values();
    target.texts = column.spellings();
  } else {
    target.labels = column.kind() == ColumnKind::text ? Targets::classes(column.strings()).labels() : column.labels();
  }
  return target;
}

DataFile collect(const CsvLayout& layout, const ReadOptions& options, Index rows) {
  DataFile file;
  file.format = FileFormat::csv;
  file.samples = make_inputs(layout, options, rows);
  std::vector<TargetColumn> targets;
  for (const std::size_t c : layout.targets) {
    targets.push_back(make_target(layout.columns[c]));
  }
  if (!targets.empty()) {
    file.targets = Targets(std::move(targets));
  }
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    if (layout.roles[c] == CsvRole::weights) {
      file.weights = layout.columns[c].values();
    } else if (layout.roles[c] == CsvRole::noise) {
      file.noise = layout.columns[c].values();
    } else if (layout.roles[c] == CsvRole::groups) {
      file.groups = Targets({make_target(layout.columns[c])}).labels();
    }
  }
  return file;
}

void keep_rows(DataFile& file, const std::vector<Index>& rows) {
  file.dropped_rows = file.samples.size() - static_cast<Index>(rows.size());
  // A fresh Samples: rows that were dropped while reading never were samples.
  const Samples kept = file.samples.select(rows);
  file.samples = Samples(kept.rows(), std::make_shared<Samples>(kept));
  if (file.targets) {
    file.targets = file.targets->select(rows);
  }
  const auto keep = [&](auto& values) {
    auto kept_values = values;
    kept_values.clear();
    for (const Index i : rows) {
      kept_values.push_back(values[static_cast<std::size_t>(i)]);
    }
    values = std::move(kept_values);
  };
  if (!file.weights.empty()) {
    keep(file.weights);
  }
  if (!file.noise.empty()) {
    keep(file.noise);
  }
  if (!file.groups.codes.empty()) {
    keep(file.groups.codes);
  }
}

}  // namespace

DataFile read_csv(InputStream& stream, const ReadOptions& options, const Run& run) {
  CsvLayout layout = read_csv_columns(stream, options, run);
  Index rows = 0;
  if (options.missing == MissingValues::drop && !options.schema) {
    leave_out_empty_columns(layout, run);
  }
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    rows = std::max(rows, layout.columns[c].size());
    if (layout.roles[c] != CsvRole::ignored) {
      check_values(layout.columns[c], layout.roles[c], options);
    }
  }
  if (rows == 0) {
    throw DataError({stream.name()}, "the file holds a line of column names and no samples below it");
  }
  DataFile file = collect(layout, options, rows);
  if (options.missing == MissingValues::drop) {
    const std::vector<Index> complete = complete_rows(layout, rows);
    if (complete.empty()) {
      throw DataError({stream.name()}, "every row has a missing value, none is left; fill the values in");
    }
    if (static_cast<Index>(complete.size()) < rows) {
      keep_rows(file, complete);
    }
  }
  if (options.schema) {
    file.samples = apply_schema(file.samples, *options.schema, run);
  }
  file.schema = schema_of(file.samples);
  return file;
}

}  // namespace mercer
