#include "mercer/data/files/csv_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/csv_header.h"
#include "mercer/data/files/csv_tokenizer.h"
#include "mercer/data/files/names_by_place.h"
#include "mercer/data/numbered_column.h"

namespace mercer {

namespace {

// Of the text, looked at for separator and header.
constexpr std::size_t head_bytes = std::size_t{64} << 10;

// What the caller and the schema call columns.
std::unordered_set<std::string> expected_names(const ReadOptions& options) {
  std::unordered_set<std::string> names;
  for (const auto* const references : {&options.targets, &options.inputs, &options.ignored, &options.categorical,
                                       &options.text, &options.sets, &options.categorical_words, &options.needed}) {
    for (const std::string& reference : *references) {
      names.insert(reference);
      names.insert(reference.substr(0, reference.find(':')));  // of a range
    }
  }
  names.insert({options.weights, options.groups, options.noise});
  std::erase_if(names, [](const std::string& name) { return name.empty() || parse_integer(name); });
  if (options.schema) {
    for (const SchemaColumn& column : options.schema->columns) {
      names.insert(column.name);
    }
  }
  return names;
}

// Long records need a longer look.
FirstLine first_line_of(InputStream& stream, char separator) {
  constexpr std::size_t longest_head = std::size_t{16} << 20;
  for (std::size_t size = std::size_t{64} << 10;; size *= 16) {
    const std::string_view head = stream.peek(size);
    const auto found = judge_first_line(head, separator);
    if (found || head.size() < size || size >= longest_head) {
      return found.value_or(FirstLine::sample);
    }
  }
}

// Models of before called a column with an empty name x3.
std::string name_of_nameless(Index column, const std::optional<Schema>& schema) {
  const std::string before = "x" + std::to_string(column);
  const bool is_of_before = schema && std::ranges::find(schema->file_names, before) != schema->file_names.end();
  return is_of_before ? before : numbered_column_name(column);
}

bool is_numeral(const std::string& field) { return parse_double(field).has_value(); }

// Numbers in the first line that are names of columns: there are all columns that the schema has by such names or without
// any, and the line does not look like the next ones.
bool holds_numbers_of_schema(InputStream& stream, char separator, const std::vector<std::string>& first,
                             const std::optional<Schema>& schema) {
  if (!schema) {
    return false;
  }
  std::unordered_set<std::string> wanted;
  for (const SchemaColumn& column : schema->columns) {
    wanted.insert(column.part == DatePart::none ? column.name : column.dates);
  }
  const bool has_numbers = std::ranges::any_of(wanted, is_numeral);
  std::unordered_set<std::string_view> different;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (is_numeral(first[c]) && !different.insert(first[c]).second) {
      return false;
    }
    wanted.erase(first[c].empty() ? name_of_nameless(static_cast<Index>(c), schema) : first[c]);
  }
  return has_numbers && wanted.empty() && !has_numbers_as_below(stream.peek(head_bytes), separator);
}

// Whether the training file had a column of one of these numbers.
bool knows_a_number(const Schema& schema, const std::vector<std::string>& first) {
  return std::ranges::any_of(first, [&](const std::string& field) {
    return is_numeral(field) && (std::ranges::find(schema.file_names, field) != schema.file_names.end() ||
                                 std::ranges::find(schema.columns, field, &SchemaColumn::name) != schema.columns.end());
  });
}

// What numbers 0, 1, 2 … are at prediction: names where the training file had such, and places in all others. With an index in
// front they would be the places of others, unless the training file had one.
HeaderLine names_or_places(const Schema& schema, const std::vector<std::string>& first, const std::string& file) {
  if (knows_a_number(schema, first)) {
    return HeaderLine::names;
  }
  const bool had_index = !schema.file_names.empty() && schema.file_names.front() == name_of_nameless(0, schema);
  if (first.front().empty() && !had_index) {
    throw DataError({file},
                    "the training file had no columns of these numbers, which are then places, and here an index "
                    "without a name stands before them; write the file without it");
  }
  return HeaderLine::places;
}

void warn_of_guess(const std::string& file, const std::string& reason, const Run& run) {
  run.warn(file + ": the first line is taken for names of columns, " + reason +
           "; say --no-header where it is a sample, --header where it is not");
}

}  // namespace

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

char separator_of(InputStream& stream, const ReadOptions& options) {
  if (options.separator != 0) {
    return options.separator;
  }
  const std::string_view head = stream.peek(head_bytes);
  const char found = detect_separator(head);
  const std::vector<std::string> line = found == ' ' ? first_fields(head, ',') : std::vector<std::string>{};
  return line.size() == 1 && expected_names(options).contains(line.front()) ? ',' : found;
}

HeaderLine header_line(InputStream& stream, char separator, const ReadOptions& options, const Run& run) {
  if (options.header == Header::absent) {
    return HeaderLine::none;
  }
  const std::vector<std::string> first = first_fields(stream.peek(head_bytes), separator);
  const bool is_counted = std::ranges::any_of(first, is_numeral) && count_columns(first);
  if (options.header == Header::present) {
    return options.schema && is_counted ? names_or_places(*options.schema, first, stream.name()) : HeaderLine::names;
  }
  const std::unordered_set<std::string> expected = expected_names(options);
  const auto is_expected = [&](const std::string& field) { return !parse_double(field) && expected.contains(field); };
  if (std::ranges::any_of(first, is_expected) || holds_numbers_of_schema(stream, separator, first, options.schema)) {
    return HeaderLine::names;
  }
  if (options.schema && options.schema->columns.empty() && nameless_kind(options.schema->kind) != ColumnKind::numeric) {
    return HeaderLine::none;  // as in the training data
  }
  switch (first_line_of(stream, separator)) {
    case FirstLine::names:
      return HeaderLine::names;
    case FirstLine::likely_names:
      if (options.schema) {  // names would be those of the schema
        return options.schema->columns.empty() ? HeaderLine::names : HeaderLine::none;
      }
      warn_of_guess(stream.name(), "since its words do not come again", run);
      return HeaderLine::names;
    case FirstLine::counted:
      warn_of_guess(stream.name(), "since its numbers are 0, 1, 2 ... as those of columns without names", run);
      return options.schema ? names_or_places(*options.schema, first, stream.name()) : HeaderLine::names;
    case FirstLine::sample:
      break;
  }
  return HeaderLine::none;
}

RepeatedNames name_columns(TableLayout& layout, const std::vector<std::string_view>& fields,
                           const std::optional<Schema>& schema) {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> repetitions;
  RepeatedNames repeated;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    const std::string_view field = trim(fields[c]);
    const std::string name =
        layout.named && !field.empty() ? std::string(field) : name_of_nameless(static_cast<Index>(c), schema);
    std::string unique = name;
    while (!taken.insert(unique).second) {
      repeated.emplace(name, c);
      unique = name + "." + std::to_string(++repetitions[name]);
    }
    layout.names.push_back(std::move(unique));
  }
  return repeated;
}

void warn_of_repeated_names(const TableLayout& layout, RepeatedNames repeated, const std::optional<Schema>& schema,
                            const std::string& file, const Run& run) {
  if (schema) {
    std::unordered_set<std::string_view> read;
    for (const SchemaColumn& column : schema->columns) {
      read.insert(column.name);
    }
    std::erase_if(repeated, [&](const auto& name) {
      return !read.contains(name.first) || read.contains(layout.names[name.second]);
    });
  }
  if (repeated.empty()) {
    return;
  }
  const auto& [name, second] = *repeated.begin();
  const std::size_t more = repeated.size() - 1;
  const std::string others = more == 1 ? "one other name" : std::to_string(more) + " other names";
  run.warn(file + ": two columns are named '" + name + "'; " +
           (schema ? "the first is read" : "the second is taken in as '" + layout.names[second] + "'") +
           (more > 0 ? ", and likewise for " + others : ""));
}

void take_names_of_training(TableLayout& layout, HeaderLine header, const ReadOptions& options, const std::string& file,
                            const Run& run) {
  if (layout.named || !options.schema) {
    return;
  }
  const auto format = header == HeaderLine::places ? NamesOfFormat::numbers : NamesOfFormat::line;
  if (auto names = names_by_place(*options.schema, layout.names.size(), file, format, run)) {
    layout.names = *std::move(names);
    layout.named = true;
  }
}

}  // namespace mercer
