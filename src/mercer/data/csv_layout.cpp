#include "mercer/data/csv_layout.h"

#include <algorithm>
#include <map>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/csv_header.h"
#include "mercer/data/csv_tokenizer.h"

namespace mercer {

namespace {

std::string described(const CsvLayout& layout, std::size_t c) {
  return layout.named ? "'" + layout.names[c] + "'" : std::to_string(c);
}

// The file column of a reference by name or by number, if it is there.
std::optional<std::size_t> find_column(const CsvLayout& layout, const std::string& reference) {
  const auto named = std::find(layout.names.begin(), layout.names.end(), reference);
  if (layout.named && named != layout.names.end()) {
    return static_cast<std::size_t>(named - layout.names.begin());
  }
  const auto count = static_cast<Index>(layout.names.size());
  if (const auto number = parse_integer(reference); number && *number >= -count && *number < count) {
    return static_cast<std::size_t>(*number < 0 ? *number + count : *number);
  }
  return std::nullopt;
}

std::size_t require_column(const CsvLayout& layout, const std::string& reference, const std::string& file,
                           std::string_view what) {
  const auto found = find_column(layout, reference);
  if (!found) {
    throw DataError({file}, "there is no column '" + reference + "' for the " + std::string(what) + "; the file has " +
                                std::to_string(layout.names.size()) + " columns, " +
                                (layout.named ? "named." + did_you_mean(reference, layout.names)
                                              : std::string("without names, numbered from 0")));
  }
  return *found;
}

void take_role(CsvLayout& layout, std::size_t column, CsvRole role, const std::string& file) {
  if (layout.roles[column] != CsvRole::input) {
    throw DataError({file}, "column " + described(layout, column) + " is named for two purposes");
  }
  layout.roles[column] = role;
}

// What the columns of a table must hold for a model that was fitted on samples without names.
std::optional<ColumnKind> nameless_kind(SampleKind kind) {
  switch (kind) {
    case SampleKind::strings:
      return ColumnKind::text;
    case SampleKind::sets:
      return ColumnKind::set;
    case SampleKind::categories:
      return ColumnKind::categorical;
    case SampleKind::bags:
    case SampleKind::graphs:
      return std::nullopt;
    default:
      return ColumnKind::numeric;
  }
}

// A headerless file at prediction that has exactly the inputs has no targets to take out.
bool holds_inputs_only(const CsvLayout& layout, const ReadOptions& options) {
  if (options.targets_presence == Presence::required || layout.named || !options.schema) {
    return false;
  }
  const Schema& schema = *options.schema;
  const bool is_numeric = nameless_kind(schema.kind) == ColumnKind::numeric;
  const Index nameless = is_numeric ? schema.numeric_columns : 1;
  const auto inputs = schema.columns.empty() ? static_cast<std::size_t>(nameless) : schema.columns.size();
  return inputs == layout.names.size();
}

void assign_roles(CsvLayout& layout, const ReadOptions& options, const std::string& file) {
  layout.roles.assign(layout.names.size(), CsvRole::input);
  if (!holds_inputs_only(layout, options)) {
    for (const std::string& target : options.targets) {
      if (options.targets_presence == Presence::optional && !find_column(layout, target)) {
        continue;
      }
      const std::size_t column = require_column(layout, target, file, "target");
      take_role(layout, column, CsvRole::target, file);
      layout.targets.push_back(column);
    }
    const auto take_one = [&](const std::string& reference, CsvRole role, std::string_view what) {
      const bool needed = options.targets_presence == Presence::required;
      if (!reference.empty() && (needed || find_column(layout, reference))) {
        take_role(layout, require_column(layout, reference, file, what), role, file);
      }
    };
    take_one(options.weights, CsvRole::weights, "weights");
    take_one(options.groups, CsvRole::groups, "groups");
    take_one(options.noise, CsvRole::noise, "noise");
  }
  if (!options.inputs.empty()) {
    std::vector<char> wanted(layout.names.size(), 0);
    for (const std::string& input : options.inputs) {
      wanted[require_column(layout, input, file, "inputs")] = 1;
    }
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      if (layout.roles[c] == CsvRole::input && wanted[c] == 0) {
        layout.roles[c] = CsvRole::ignored;
      }
    }
  }
  if (!layout.named) {
    std::size_t inputs = 0;
    for (std::size_t c = 0; c < layout.names.size(); ++c) {
      layout.names[c] =
          layout.roles[c] == CsvRole::input ? "x" + std::to_string(inputs++) : "column " + std::to_string(c);
    }
  }
}

// Kinds that are not left to the contents.
std::optional<ColumnKind> forced_kind(CsvLayout& layout, std::size_t c, const ReadOptions& options,
                                      const std::string& file) {
  if (layout.roles[c] == CsvRole::weights || layout.roles[c] == CsvRole::noise) {
    return ColumnKind::numeric;
  }
  const auto listed = [&](const std::vector<std::string>& references) {
    return std::any_of(references.begin(), references.end(),
                       [&](const std::string& reference) { return find_column(layout, reference) == c; });
  };
  if (listed(options.categorical)) {
    return ColumnKind::categorical;
  }
  if (listed(options.text)) {
    return ColumnKind::text;
  }
  if (listed(options.sets)) {
    return ColumnKind::set;
  }
  if (layout.roles[c] != CsvRole::input || !options.schema) {
    return std::nullopt;
  }
  if (options.schema->columns.empty()) {
    return nameless_kind(options.schema->kind);
  }
  for (const SchemaColumn& column : options.schema->columns) {
    if (column.name == layout.names[c]) {
      if (column.kind == ColumnKind::bag || column.kind == ColumnKind::graph) {
        throw DataError({file},
                        "column '" + column.name + "' was of kind '" + std::string(to_string(column.kind)) +
                            "' when the model was fitted, and a table of fields cannot hold such; use JSON lines");
      }
      return column.kind;
    }
  }
  layout.roles[c] = CsvRole::ignored;
  return std::nullopt;
}

void require_known_columns(const CsvLayout& layout, const ReadOptions& options, const std::string& file) {
  for (const std::string& reference : options.categorical) {
    require_column(layout, reference, file, "categorical kind");
  }
  for (const std::string& reference : options.text) {
    require_column(layout, reference, file, "text kind");
  }
  for (const std::string& reference : options.sets) {
    require_column(layout, reference, file, "set kind");
  }
  if (options.schema) {
    for (const SchemaColumn& column : options.schema->columns) {
      if (std::find(layout.names.begin(), layout.names.end(), column.name) == layout.names.end()) {
        throw DataError({file}, "column '" + column.name + "' is missing; the model was fitted with it." +
                                    did_you_mean(column.name, layout.names));
      }
    }
  }
}

// A name that comes again gets a number: score, score.1, score.2.
void name_columns(CsvLayout& layout, const std::vector<std::string_view>& fields) {
  std::set<std::string> taken;
  std::map<std::string, int> repetitions;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    const std::string_view field = trim(fields[c]);
    const std::string name = layout.named && !field.empty() ? std::string(field) : "x" + std::to_string(c);
    std::string unique = name;
    while (!taken.insert(unique).second) {
      unique = name + "." + std::to_string(++repetitions[name]);
    }
    layout.names.push_back(std::move(unique));
  }
}

// Long records need a longer look.
bool find_header(InputStream& stream, char separator) {
  constexpr std::size_t longest_head = std::size_t{16} << 20;
  for (std::size_t size = std::size_t{64} << 10;; size *= 16) {
    const std::string_view head = stream.peek(size);
    const auto found = looks_like_header(head, separator);
    if (found || head.size() < size || size >= longest_head) {
      return found.value_or(false);
    }
  }
}

void make_columns(CsvLayout& layout, const ReadOptions& options, const std::string& file) {
  assign_roles(layout, options, file);
  require_known_columns(layout, options, file);
  for (std::size_t c = 0; c < layout.names.size(); ++c) {
    const auto kind = forced_kind(layout, c, options, file);
    const bool spelled = layout.roles[c] == CsvRole::target || layout.roles[c] == CsvRole::groups;
    layout.columns.emplace_back(layout.names[c], kind, spelled ? CsvColumn::Spelling::kept : CsvColumn::Spelling::free);
  }
}

}  // namespace

CsvLayout read_csv_columns(InputStream& stream, const ReadOptions& options, const Run& run) {
  const std::string_view head = stream.peek(std::size_t{64} << 10);
  const char separator = options.separator != 0 ? options.separator : detect_separator(head);
  CsvLayout layout;
  layout.named =
      options.header == Header::present || (options.header == Header::automatic && find_header(stream, separator));
  CsvTokenizer tokenizer(stream, separator);
  std::vector<std::string_view> fields;
  if (!tokenizer.next(fields)) {
    throw DataError({stream.name()}, "the file is empty; a table needs at least one line");
  }
  name_columns(layout, fields);
  make_columns(layout, options, stream.name());
  const Index first_line = tokenizer.line();
  bool more = !layout.named || tokenizer.next(fields);
  for (Index rows = 0; more; more = tokenizer.next(fields)) {
    if (fields.size() != layout.columns.size()) {
      throw DataError({stream.name(), tokenizer.line()}, std::to_string(fields.size()) + " fields where line " +
                                                             std::to_string(first_line) + " has " +
                                                             std::to_string(layout.columns.size()));
    }
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (layout.roles[c] != CsvRole::ignored) {
        layout.columns[c].add(fields[c], tokenizer, c);
      }
    }
    if (++rows % 4096 == 0) {
      run.check_stop();
      run.progress("reading " + stream.name(), static_cast<double>(rows), 0);
    }
  }
  return layout;
}

}  // namespace mercer
