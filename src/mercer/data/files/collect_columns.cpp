#include "mercer/data/files/collect_columns.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/broken_columns.h"
#include "mercer/data/files/kept_rows.h"
#include "mercer/data/files/noted_columns.h"
#include "mercer/data/files/row_numbering.h"

namespace mercer {

namespace {

// A column without a single value would cost every row.
std::vector<std::string> leave_out_empty_columns(TableLayout& layout, const Run& run) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    if (layout.roles[c] == ColumnRole::input && column.is_numeric() && column.size() > 0 &&
        column.missing_count() == column.size()) {
      layout.roles[c] = ColumnRole::ignored;
      run.warn("column '" + column.name() + "' holds no values and is left out");
      names.push_back(column.name());
    }
  }
  return names;
}

bool must_be_complete(const std::string& column, const ReadOptions& options) {
  return std::ranges::find(options.complete, column) != options.complete.end();
}

bool may_be_unlabeled(const ReadOptions& options) {
  return options.missing == MissingValues::drop || options.unlabeled == UnlabeledRows::left_out;
}

void check_values(const FieldColumn& column, ColumnRole role, const ReadOptions& options) {
  if (const auto odd = column.odd_word()) {
    throw DataError(odd->place, "column '" + column.name() + "': '" + odd->text + "' is not a number, but " +
                                    std::to_string(odd->numbers) + " of the " +
                                    std::to_string(odd->numbers + odd->words) +
                                    " fields are; correct it, or declare the column categorical or text "
                                    "(--categorical, --text)");
  }
  if (column.kind() == ColumnKind::numeric) {
    const bool is_kept = options.missing == MissingValues::keep && role == ColumnRole::input &&
                         !must_be_complete(column.name(), options);
    const bool is_left_out = role == ColumnRole::target   ? may_be_unlabeled(options)
                             : role == ColumnRole::groups ? true  // rows of their own
                                                          : options.missing == MissingValues::drop;
    if (column.has_missing() && !is_left_out && !is_kept) {
      throw DataError(
          column.first_missing(),
          "column '" + column.name() + "': the value is missing (" + std::to_string(column.missing_count()) +
              " in this column); " +
              (role == ColumnRole::input ? "fill it in, fill or drop such rows by --missing, or wrap the kernel "
                                           "of this column in if_present()"
                                         : "fill it in, or drop rows with missing values"));
    }
    if (column.first_infinite() && options.non_finite == NonFinite::reject) {
      throw DataError(*column.first_infinite(), "column '" + column.name() + "': the value is not finite");
    }
  } else if (role == ColumnRole::target && !column.missing_words().empty() && !may_be_unlabeled(options)) {
    throw DataError(column.first_missing_word(),
                    "target '" + column.name() + "': the label is missing (" +
                        std::to_string(column.missing_words().size()) +
                        " in this column); fill it in, drop rows with missing values, or quote it where it is a word");
  }
}

// Which rows have every target, and every number where that is asked for.
enum class Complete { targets, everywhere };
std::vector<Index> complete_rows(const TableLayout& layout, Index rows, Complete where, const ReadOptions& options) {
  std::vector<char> complete(rows, 1);
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    const bool is_target = layout.roles[c] == ColumnRole::target;
    const bool may_be_missing = std::ranges::find(options.incomplete, column.name()) != options.incomplete.end();
    const bool has_no_gaps = layout.roles[c] == ColumnRole::ignored || layout.roles[c] == ColumnRole::groups;
    if (has_no_gaps || may_be_missing || (where == Complete::targets && !is_target)) {
      continue;
    }
    if (column.kind() == ColumnKind::numeric && column.has_missing()) {
      for (std::size_t i = 0; i < complete.size(); ++i) {
        complete[i] = static_cast<char>(complete[i] != 0 && !std::isnan(column.values()[i]) ? 1 : 0);
      }
    } else if (layout.roles[c] == ColumnRole::target && column.kind() != ColumnKind::numeric) {
      for (const Index row : column.missing_words()) {
        complete[row] = 0;
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
Samples numeric_block(const std::vector<const std::vector<double>*>& columns, Index rows) {
  Matrix<T> block(rows, static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::vector<double>& values = *columns[j];
    for (Index i = 0; i < rows; ++i) {
      block(i, static_cast<Index>(j)) = static_cast<T>(values[i]);
    }
  }
  return make_dense(std::move(block));
}

// Models of before had no level for missing words, which were levels by themselves. Files of others keep all names or places.
FieldColumn::MissingWords missing_words(const ReadOptions& options) {
  const bool is_of_before = options.schema && options.schema->file_names.empty() && options.schema->file_columns == 0;
  return is_of_before ? FieldColumn::MissingWords::known_levels : FieldColumn::MissingWords::missing;
}

// The levels of the schema's columns, by name.
using KnownLevels = std::unordered_map<std::string_view, std::span<const std::string>>;
KnownLevels known_levels(const ReadOptions& options) {
  KnownLevels known;
  if (options.schema) {
    for (const SchemaColumn& column : options.schema->columns) {
      known.emplace(column.name, column.levels);
    }
  }
  return known;
}

Samples make_inputs(const TableLayout& layout, const ReadOptions& options, Index rows) {
  std::vector<std::vector<double>> parts;
  std::vector<const std::vector<double>*> numeric;
  std::vector<std::string> names;
  std::vector<Table::Column> others;
  const std::vector<SchemaColumn> wanted = date_parts(layout, options);
  parts.reserve(wanted.size());
  KnownLevels known = known_levels(options);
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    if (layout.roles[c] != ColumnRole::input) {
      continue;
    }
    if (column.kind() == ColumnKind::numeric) {
      numeric.push_back(&column.values());
      names.push_back(column.name());
      for (const SchemaColumn& part : wanted) {
        if (part.dates == column.name()) {
          numeric.push_back(&parts.emplace_back(parts_of(column.values(), part.part)));
          names.push_back(part.name);
        }
      }
    } else if (column.kind() == ColumnKind::categorical) {
      ClassLabels labels = column.categories(known[column.name()], missing_words(options));
      others.push_back({column.name(), make_categories(std::move(labels.codes), std::move(labels.levels))});
    } else if (column.kind() == ColumnKind::text) {
      others.push_back({column.name(), make_strings(column.strings())});
    } else {
      others.push_back({column.name(), layout.objects[c]->samples()});
    }
  }
  Samples block = options.precision == StoredPrecision::float32 ? numeric_block<float>(numeric, rows)
                                                                : numeric_block<double>(numeric, rows);
  const bool has_named_schema = options.schema && !options.schema->columns.empty();
  if (!layout.named && others.empty() && options.place_names == PlaceNames::none && !has_named_schema) {
    return block;
  }
  return make_table(Table(std::move(block), std::move(names), std::move(others)));
}

// Every row without a group is one of its own.
ClassLabels groups_of(const FieldColumn& column) {
  ClassLabels groups = Targets({make_target(column)}).labels();
  const auto is_missing_number = [&](std::size_t i) {
    return column.kind() == ColumnKind::numeric && std::isnan(column.values()[i]);
  };
  if (column.kind() == ColumnKind::numeric && column.has_missing()) {
    groups.levels.pop_back();  // that of the missing numbers, which is the last
  }
  for (std::size_t i = 0; i < groups.codes.size(); ++i) {
    if (groups.codes[i] < 0 || is_missing_number(i)) {
      groups.codes[i] = static_cast<std::int32_t>(groups.levels.size());
      groups.levels.emplace_back();
    }
  }
  return groups;
}

// What is not an input.
DataFile collect_roles(const TableLayout& layout, std::optional<LabelKind> label_kind) {
  DataFile file;
  std::vector<TargetColumn> targets;
  for (const std::size_t c : layout.targets) {
    targets.push_back(make_target(layout.columns[c], label_kind));
  }
  if (!targets.empty()) {
    file.targets = Targets(std::move(targets));
  }
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    if (layout.roles[c] == ColumnRole::weights) {
      file.weights = layout.columns[c].values();
    } else if (layout.roles[c] == ColumnRole::noise) {
      file.noise = layout.columns[c].values();
    } else if (layout.roles[c] == ColumnRole::groups) {
      file.groups = groups_of(layout.columns[c]);
    }
  }
  return file;
}

// Fields of sets become sets, whose members the schema numbers where there is one.
void split_set_fields(TableLayout& layout, const std::string& name, const ReadOptions& options) {
  layout.objects.resize(layout.columns.size());
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    if (column.kind() != ColumnKind::set || layout.roles[c] != ColumnRole::input || layout.objects[c]) {
      continue;
    }
    layout.objects[c] = make_object_column(ColumnKind::set, column.name(), options.schema);
    for (const std::string& field : column.strings()) {
      add_set_field(*layout.objects[c], field, {name});
    }
  }
}

void add_words(Schema& schema, const TableLayout& layout) {
  for (std::size_t c = 0; c < layout.objects.size(); ++c) {
    if (!layout.objects[c] || layout.roles[c] != ColumnRole::input) {
      continue;
    }
    const auto column = std::ranges::find(schema.columns, layout.columns[c].name(), &SchemaColumn::name);
    if (column != schema.columns.end()) {
      column->levels = layout.objects[c]->levels();
    }
  }
}

[[noreturn]] void reject_empty_targets(const TableLayout& layout, const std::string& file) {
  std::vector<std::string> names;
  for (const std::size_t c : layout.targets) {
    names.push_back("'" + layout.names[c] + "'");
  }
  throw DataError({file},
                  names.size() == 1
                      ? "target " + names[0] + " holds no value in any row; there is nothing to learn"
                      : "every row lacks one of the targets " + join(names, ", ") + "; there is nothing to learn");
}

void leave_out_rows(DataFile& file, const TableLayout& layout, const ReadOptions& options, const std::string& name) {
  const Index rows = file.samples.size();
  const std::vector<Index> labeled = complete_rows(layout, rows, Complete::targets, options);
  if (!options.schema && labeled.empty()) {
    reject_empty_targets(layout, name);
  }
  const std::vector<Index> complete =
      options.missing == MissingValues::drop ? complete_rows(layout, rows, Complete::everywhere, options) : labeled;
  if (static_cast<Index>(complete.size()) < rows) {
    file.unlabeled_rows = options.missing == MissingValues::drop ? 0 : rows - static_cast<Index>(labeled.size());
    keep_rows(file, complete);
    if (!options.schema) {
      leave_out_unused_levels(file);
    }
  }
}

// Where the inputs stood in a file without names: in the one that the schema is of.
void add_places(Schema& schema, const TableLayout& layout, const std::optional<Schema>& known) {
  if (known) {
    schema.file_columns = known->file_columns;
    schema.not_inputs = known->not_inputs;
    schema.file_names = known->file_names;
    return;
  }
  if (layout.named || schema.columns.empty()) {
    return;
  }
  schema.file_columns = static_cast<Index>(layout.names.size());
  schema.not_inputs = columns_beside_inputs(layout);
}

}  // namespace

std::vector<Index> columns_beside_inputs(const TableLayout& layout) {
  std::vector<Index> numbers;
  for (std::size_t c = 0; c < layout.roles.size(); ++c) {
    if (layout.roles[c] != ColumnRole::input && layout.roles[c] != ColumnRole::ignored) {
      numbers.push_back(static_cast<Index>(c));
    }
  }
  return numbers;
}

Index row_count(const TableLayout& layout) {
  Index rows = 0;
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const bool is_object = c < layout.objects.size() && layout.objects[c];
    rows = std::max(rows, is_object ? layout.objects[c]->size() : layout.columns[c].size());
  }
  return rows;
}

TargetColumn make_target(const FieldColumn& column, std::optional<LabelKind> kind) {
  TargetColumn target;
  target.name = column.name();
  target.kind = kind ? kind : column.declared_label_kind();
  if (column.has_values()) {
    target.values = column.values();
  }
  const LabelKind found = kind.value_or(column.label_kind());
  if (!column.numbers_tell_labels(found)) {
    target.labels = column.labels(found);
  }
  return target;
}

std::shared_ptr<ObjectColumn> make_object_column(ColumnKind kind, const std::string& name,
                                                 const std::optional<Schema>& schema) {
  if (!schema) {
    return std::make_shared<ObjectColumn>(kind);
  }
  for (const SchemaColumn& column : schema->columns) {
    if (column.name == name) {
      return std::make_shared<ObjectColumn>(kind, column.levels);
    }
  }
  return std::make_shared<ObjectColumn>(kind, std::vector<std::string>{});
}

namespace {

// References of those columns that must be complete, as names.
ReadOptions with_names(ReadOptions options, const TableLayout& layout) {
  std::vector<std::string> names;
  for (const std::string& reference : options.complete) {
    for (const std::size_t c : find_columns(reference, layout.names)) {
      names.push_back(layout.names[c]);
    }
  }
  options.complete = std::move(names);
  return options;
}

}  // namespace

DataFile collect_columns(TableLayout& layout, const std::string& name, const ReadOptions& given, const Run& run,
                         std::optional<Samples> inputs) {
  const ReadOptions options = with_names(given, layout);
  std::vector<std::string> empty_columns;
  if (options.missing == MissingValues::drop && !options.schema) {
    empty_columns = leave_out_empty_columns(layout, run);
  }
  const Index rows = inputs ? inputs->size() : row_count(layout);
  find_notations(layout, name, run);
  if (!options.schema) {
    require_whole_columns(layout, run);
  }
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    if (layout.roles[c] != ColumnRole::ignored) {
      check_values(layout.columns[c], layout.roles[c], options);
    }
  }
  if (rows == 0) {
    throw DataError({name}, "the file holds a line of column names and no samples below it");
  }
  split_set_fields(layout, name, options);
  DataFile file = collect_roles(layout, options.label_kind);
  file.empty_columns = std::move(empty_columns);
  if (file.targets && file.targets->size() != rows) {
    throw DataError({name}, std::to_string(file.targets->size()) + " targets for " + std::to_string(rows) + " samples");
  }
  file.samples = inputs ? *inputs : make_inputs(layout, options, rows);
  for (std::size_t c = 0; options.schema && c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    if (layout.roles[c] == ColumnRole::input && column.kind() == ColumnKind::categorical &&
        !column.missing_words().empty()) {
      file.missing_categories[column.name()] = column.missing_words();
    }
  }
  if (may_be_unlabeled(options)) {
    leave_out_rows(file, layout, options, name);
  }
  if (options.schema) {
    file.samples = apply_schema(file.samples, *options.schema, run);
  }
  file.schema = schema_of(file.samples);
  add_words(file.schema, layout);
  add_notations(file.schema, layout, options);
  add_places(file.schema, layout, options.schema);
  file.columns = layout.names;
  if (!options.schema) {
    point_out_numbering(layout, name, run);
  }
  return file;
}

}  // namespace mercer
