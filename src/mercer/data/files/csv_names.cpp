#include "mercer/data/files/csv_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/csv_header.h"
#include "mercer/data/files/csv_tokenizer.h"
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

// The columns of a file of names that a file without names may hold: all, the inputs, or those that the model uses.
std::vector<std::vector<std::string>> names_by_place(const Schema& schema) {
  std::vector<std::string> used;
  for (const SchemaColumn& column : schema.columns) {
    used.push_back(column.part == DatePart::none ? column.name : column.dates);
  }
  if (schema.file_names.empty()) {
    // Nothing but the order of the numbers is known.
    const bool are_numbers = std::ranges::all_of(schema.columns, [](const SchemaColumn& column) {
      return column.kind == ColumnKind::numeric && column.part == DatePart::none;
    });
    using Orders = std::vector<std::vector<std::string>>;
    return are_numbers || used.size() == 1 ? Orders{used} : Orders{};
  }
  std::vector<std::string> inputs;
  std::vector<std::string> used_in_order;
  for (std::size_t c = 0; c < schema.file_names.size(); ++c) {
    const std::string& name = schema.file_names[c];
    if (std::ranges::find(schema.not_inputs, static_cast<Index>(c)) == schema.not_inputs.end()) {
      inputs.push_back(name);
    }
    if (std::ranges::find(used, name) != used.end()) {
      used_in_order.push_back(name);
    }
  }
  return {schema.file_names, std::move(inputs), std::move(used_in_order)};
}

std::string first_names(std::vector<std::string> names) {
  constexpr std::size_t most_names = 10;
  if (names.size() > most_names) {
    names.resize(most_names);
    names.emplace_back("...");
  }
  return join(names, ", ");
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

bool counts_inputs(const Schema& schema) {
  return schema.file_columns == 0 && schema.file_names.empty() && !schema.columns.empty() &&
         schema.columns.front().name.starts_with('x');
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

bool has_header(InputStream& stream, char separator, const ReadOptions& options, const Run& run) {
  if (options.header != Header::automatic) {
    return options.header == Header::present;
  }
  const std::unordered_set<std::string> expected = expected_names(options);
  const std::vector<std::string> first = first_fields(stream.peek(head_bytes), separator);
  if (std::ranges::any_of(first, [&](const std::string& field) { return expected.contains(field); })) {
    return true;
  }
  if (options.schema && options.schema->columns.empty() && nameless_kind(options.schema->kind) != ColumnKind::numeric) {
    return false;  // as in the training data
  }
  const FirstLine line = first_line_of(stream, separator);
  if (line == FirstLine::likely_names && options.schema) {
    return options.schema->columns.empty();  // names would be those of the schema
  }
  if (line == FirstLine::likely_names) {
    run.warn(stream.name() +
             ": the first line is taken for names of columns, since its words do not come again; say --no-header "
             "where it is a sample, --header where it is not");
  }
  return line != FirstLine::sample;
}

RepeatedNames name_columns(TableLayout& layout, const std::vector<std::string_view>& fields) {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> repetitions;
  RepeatedNames repeated;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    const std::string_view field = trim(fields[c]);
    const std::string name = !layout.named   ? numbered_column_name(static_cast<Index>(c))
                             : field.empty() ? "x" + std::to_string(c)
                                             : std::string(field);
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

void take_names_of_training(TableLayout& layout, const ReadOptions& options, const std::string& file, const Run& run) {
  const bool has_names = options.schema && !options.schema->columns.empty() && options.schema->file_columns == 0 &&
                         !counts_inputs(*options.schema);
  if (layout.named || !has_names) {
    return;
  }
  const std::vector<std::vector<std::string>> known = names_by_place(*options.schema);
  const auto fitting = std::ranges::find(known, layout.names.size(), &std::vector<std::string>::size);
  if (fitting != known.end()) {
    layout.names = *fitting;
    layout.named = true;
    run.warn(file + ": there is no line of names, and the columns are taken by their places: " + first_names(*fitting) +
             "; --header says that there is one");
    return;
  }
  if (!options.schema->file_names.empty()) {
    throw DataError({file},
                    "there is no line of names, and columns can be taken by their places only where they are as "
                    "many as in the training file: " +
                        std::to_string(known[0].size()) + ", or " + std::to_string(known[1].size()) +
                        " inputs; here are " + std::to_string(layout.names.size()) +
                        ". Give the file a line of names (--header says that the first line is one); the model "
                        "asks for " +
                        first_names(known[2]));
  }
}

}  // namespace mercer
