#include "mercer/data/files/csv_layout.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/column_finder.h"
#include "mercer/data/files/csv_names.h"
#include "mercer/data/files/csv_tokenizer.h"
#include "mercer/data/files/names_by_place.h"
#include "mercer/data/numbered_column.h"

namespace mercer {

namespace {

void take_role(TableLayout& layout, std::size_t column, ColumnRole role, const std::string& file) {
  if (layout.roles[column] != ColumnRole::input) {
    throw DataError({file}, "column " + described_column(layout, column) + " is named for two purposes");
  }
  layout.roles[column] = role;
}

// A headerless file at prediction that has exactly the inputs has no targets to take out.
bool holds_inputs_only(const TableLayout& layout, const ReadOptions& options) {
  if (options.targets_presence == Presence::required || layout.named || !options.schema) {
    return false;
  }
  const Schema& schema = *options.schema;
  if (schema.file_columns > 0) {
    return static_cast<Index>(layout.names.size() + schema.not_inputs.size()) == schema.file_columns;
  }
  const bool is_numeric = nameless_kind(schema.kind) == ColumnKind::numeric;
  const Index nameless = is_numeric ? schema.numeric_columns : 1;
  const auto inputs = schema.columns.empty() ? static_cast<std::size_t>(nameless) : schema.columns.size();
  return inputs == layout.names.size();
}

// Columns of a file without names are called after their place in it, or in the training file where this one has its inputs
// alone.
void name_by_place(TableLayout& layout, const ReadOptions& options) {
  const bool has_inputs_only = holds_inputs_only(layout, options);
  const bool is_old = options.schema && counts_inputs(*options.schema);
  Index inputs = 0;
  Index place = 0;
  for (std::size_t c = 0; c < layout.names.size(); ++c, ++place) {
    while (has_inputs_only && options.schema->file_columns > 0 &&
           std::ranges::find(options.schema->not_inputs, place) != options.schema->not_inputs.end()) {
      ++place;
    }
    const bool is_input = layout.roles[c] == ColumnRole::input;
    layout.names[c] = is_old && is_input ? "x" + std::to_string(inputs++) : numbered_column_name(place);
  }
}

// What nobody wants as an input. A column that is named for two purposes and left out is a slip.
void choose_inputs(TableLayout& layout, const ColumnFinder& columns, const ReadOptions& options) {
  std::vector<char> wanted(layout.names.size(), options.inputs.empty() ? 1 : 0);
  for (const std::string& input : options.inputs) {
    for (const std::size_t c : columns.require_all(input, "inputs")) {
      wanted[c] = 1;
    }
  }
  for (const std::string& reference : options.ignored) {
    for (const std::size_t c : columns.require_all(reference, "columns to ignore")) {
      if (layout.roles[c] != ColumnRole::input) {
        throw DataError({columns.file()},
                        "column " + described_column(layout, c) + " is to be ignored and serves another purpose");
      }
      wanted[c] = 0;
    }
  }
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    if (layout.roles[c] == ColumnRole::input && wanted[c] == 0) {
      layout.roles[c] = ColumnRole::ignored;
    }
  }
}

void assign_roles(TableLayout& layout, const ColumnFinder& columns, const ReadOptions& options) {
  layout.roles.assign(layout.names.size(), ColumnRole::input);
  if (!holds_inputs_only(layout, options)) {
    const bool needed = options.targets_presence == Presence::required;
    const bool ignored = options.targets_presence == Presence::ignored;
    const auto take = [&](const std::string& reference, ColumnRole role, std::string_view what) -> bool {
      const auto found = needed ? columns.require(reference, what) : columns.find(reference);
      if (needed) {
        columns.require_unique(reference);  // the other column of that name would be an input that tells all
      }
      if (found) {
        take_role(layout, *found, ignored ? ColumnRole::ignored : role, columns.file());
      }
      return found.has_value();
    };
    for (const std::string& target : options.targets) {
      if (options.target_references == References::names && !columns.is_name(target)) {
        if (needed) {
          columns.reject(target, "target");
        }
        continue;
      }
      if (take(target, ColumnRole::target, "target") && !ignored) {
        layout.targets.push_back(*columns.find(target));
      }
    }
    using Role = std::tuple<const std::string*, ColumnRole, std::string_view>;
    for (const auto& [reference, role, what] :
         {Role{&options.weights, ColumnRole::weights, "weights"}, Role{&options.groups, ColumnRole::groups, "groups"},
          Role{&options.noise, ColumnRole::noise, options.noise_meaning}}) {
      if (!reference->empty()) {
        take(*reference, role, what);
      }
    }
  }
  choose_inputs(layout, columns, options);
  if (!layout.named) {
    name_by_place(layout, options);
  }
}

void require_schema_columns(const TableLayout& layout, const Schema& schema, const std::string& file) {
  const std::unordered_set<std::string_view> there(layout.names.begin(), layout.names.end());
  for (const SchemaColumn& column : schema.columns) {
    const std::string& name = column.part == DatePart::none ? column.name : column.dates;
    if (!there.contains(name)) {
      throw DataError({file}, "column '" + name + "' is missing; the model was fitted with it." +
                                  (layout.named ? did_you_mean(name, layout.names)
                                                : " The first line is no line of names; --header says that it is one"));
    }
  }
}

using ColumnKinds = std::vector<std::optional<ColumnKind>>;

// Kinds by the schema; other inputs are left out.
void take_schema_kinds(TableLayout& layout, const Schema& schema, const std::string& file, ColumnKinds& kinds) {
  std::unordered_map<std::string_view, ColumnKind> known;
  for (const SchemaColumn& column : schema.columns) {
    known.emplace(column.part == DatePart::none ? column.name : column.dates, column.kind);
  }
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    if (layout.roles[c] != ColumnRole::input || kinds[c]) {
      continue;
    }
    if (schema.columns.empty()) {
      kinds[c] = nameless_kind(schema.kind);
      continue;
    }
    const auto found = known.find(layout.names[c]);
    if (found == known.end()) {
      layout.roles[c] = ColumnRole::ignored;
    } else if (found->second == ColumnKind::bag || found->second == ColumnKind::graph) {
      throw DataError({file},
                      "column '" + layout.names[c] + "' was of kind '" + std::string(to_string(found->second)) +
                          "' when the model was fitted, and a table of fields cannot hold such; use JSON lines");
    } else {
      kinds[c] = found->second;
    }
  }
}

// Kinds that are not left to the contents.
ColumnKinds forced_kinds(TableLayout& layout, const ColumnFinder& columns, const ReadOptions& options) {
  ColumnKinds kinds(layout.names.size());
  // Of several lists that name a column, the last one here decides.
  const auto declare = [&](const std::vector<std::string>& references, ColumnKind kind, std::string_view what) {
    for (const std::string& reference : references) {
      for (const std::size_t c : columns.require_all(reference, what)) {
        kinds[c] = kind;
      }
    }
  };
  declare(options.sets, ColumnKind::set, "set kind");
  declare(options.text, ColumnKind::text, "text kind");
  declare(options.categorical, ColumnKind::categorical, "categorical kind");
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    if (layout.roles[c] == ColumnRole::weights || layout.roles[c] == ColumnRole::noise) {
      kinds[c] = ColumnKind::numeric;
    }
  }
  if (options.schema) {
    require_schema_columns(layout, *options.schema, columns.file());
    take_schema_kinds(layout, *options.schema, columns.file(), kinds);
  }
  return kinds;
}

void make_columns(TableLayout& layout, const RepeatedNames& repeated, const ReadOptions& options,
                  const std::string& file) {
  const ColumnFinder columns(layout, file, repeated);
  assign_roles(layout, columns, options);
  leave_out_unneeded(layout, options);
  const ColumnKinds kinds = forced_kinds(layout, columns, options);
  for (std::size_t c = 0; c < layout.names.size(); ++c) {
    const bool spelled = layout.roles[c] == ColumnRole::target || layout.roles[c] == ColumnRole::groups;
    layout.columns.emplace_back(layout.names[c], kinds[c],
                                spelled ? FieldColumn::Spelling::kept : FieldColumn::Spelling::free);
    layout.columns.back().declare_notation(notation_of(layout.names[c], options.schema));
    if (layout.roles[c] == ColumnRole::target && options.label_kind) {
      layout.columns.back().declare_labels(*options.label_kind);
    }
  }
  for (const std::string& reference : options.categorical_words) {
    const auto one = columns.find(reference);
    for (const std::size_t c : one ? std::vector{*one} : find_columns(reference, layout.names)) {
      layout.columns[c].expect_categories();
    }
  }
}

}  // namespace

CsvReader::CsvReader(InputStream& stream, const ReadOptions& options, const Run& run)
    : stream_(stream),
      run_(run),
      separator_(separator_of(stream, options)),
      header_(header_line(stream, separator_, options, run)),
      tokenizer_(stream, separator_) {
  layout_.named = header_ == HeaderLine::names;
  using Comma = NotationFinder::DecimalComma;
  layout_.comma = separator_ == ',' ? Comma::impossible : separator_ == ';' ? Comma::likely : Comma::possible;
  if (!tokenizer_.next(record_)) {
    throw DataError({stream.name()}, "the file is empty; a table needs at least one line");
  }
  const RepeatedNames repeated = name_columns(layout_, record_, options.schema);
  warn_of_repeated_names(layout_, repeated, options.schema, stream.name(), run);
  take_names_of_training(layout_, header_, options, stream.name(), run);
  make_columns(layout_, repeated, options, stream.name());
  first_line_ = tokenizer_.line();
  if (options.empty_lines == EmptyLines::rows && layout_.names.size() == 1) {
    tokenizer_.take_blank_lines();
  }
  more_ = header_ == HeaderLine::none || tokenizer_.next(record_);
}

void CsvReader::reject_length(std::size_t fields, Index line, std::size_t columns) const {
  throw DataError({stream_.name(), line}, std::to_string(fields) + " fields where line " + std::to_string(first_line_) +
                                              " has " + std::to_string(columns));
}

void CsvReader::add_record(TableLayout& layout) {
  if (record_.size() != layout.columns.size()) {
    reject_length(record_.size(), tokenizer_.line(), layout.columns.size());
  }
  for (std::size_t c = 0; c < record_.size(); ++c) {
    if (layout.roles[c] != ColumnRole::ignored) {
      layout.columns[c].add(record_[c], tokenizer_, c);
    }
  }
}

// Somebody broke the line behind a separator: the next one has exactly the fields that are not there.
void CsvReader::add_broken_record(TableLayout& layout) {
  const Index line = tokenizer_.line();
  const std::size_t found = record_.size();
  std::vector<std::string> fields(record_.begin(), record_.end() - 1);
  const bool goes_on = tokenizer_.next(record_);
  if (!goes_on || fields.size() + record_.size() != layout.columns.size()) {
    reject_length(found, line, layout.columns.size());
  }
  fields.insert(fields.end(), record_.begin(), record_.end());
  LinePlaces places(stream_.name());
  places.set_line(line);
  for (std::size_t c = 0; c < fields.size(); ++c) {
    if (layout.roles[c] != ColumnRole::ignored) {
      layout.columns[c].add(fields[c], places, c);
    }
  }
  run_.warn(stream_.name() + ":" + std::to_string(line) +
            ": the line is broken behind a separator and goes on in the " + "next one; both are read as one record");
}

TableLayout CsvReader::read(Index most) {
  TableLayout layout = layout_;
  for (Index taken = 0; more_ && taken < most; ++taken) {
    if (record_.size() < layout.columns.size() && record_.back().empty() && separator_ != ' ') {
      add_broken_record(layout);
    } else {
      add_record(layout);
    }
    if (++rows_ % 4096 == 0) {
      run_.check_stop();
      run_.progress("reading " + stream_.name(), static_cast<double>(rows_), 0);
    }
    more_ = tokenizer_.next(record_);
  }
  return layout;
}

}  // namespace mercer
