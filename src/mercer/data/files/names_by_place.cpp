#include "mercer/data/files/names_by_place.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

// The columns of a file of names that a file without names may hold: all, the inputs, or those that the model uses.
std::vector<std::vector<std::string>> known_orders(const Schema& schema) {
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

std::string no_names_of(NamesOfFormat format) {
  switch (format) {
    case NamesOfFormat::line:
      return "there is no line of names, and ";
    case NamesOfFormat::numbers:
      return "the names are numbers that the training file did not have, and ";
    case NamesOfFormat::none:
      break;
  }
  return "such files have no names, and ";
}

}  // namespace

bool counts_inputs(const Schema& schema) {
  return schema.file_columns == 0 && schema.file_names.empty() && !schema.columns.empty() &&
         schema.columns.front().name.starts_with('x');
}

std::optional<std::vector<std::string>> names_by_place(const Schema& schema, std::size_t columns,
                                                       const std::string& file, NamesOfFormat format, const Run& run) {
  if (schema.columns.empty() || schema.file_columns > 0 || counts_inputs(schema)) {
    return std::nullopt;
  }
  const bool has_line = format == NamesOfFormat::line;
  const std::string no_names = no_names_of(format);
  const std::vector<std::vector<std::string>> known = known_orders(schema);
  const auto fitting = std::ranges::find(known, columns, &std::vector<std::string>::size);
  if (fitting != known.end()) {
    run.warn(file + ": " + no_names + "the columns are taken by their places: " + first_names(*fitting) +
             (has_line ? "; --header says that there is one" : ""));
    return *fitting;
  }
  if (schema.file_names.empty()) {
    return std::nullopt;
  }
  throw DataError({file}, no_names +
                              "columns can be taken by their places only where they are as many as in the training "
                              "file: " +
                              std::to_string(known[0].size()) + ", or " + std::to_string(known[1].size()) +
                              " inputs; here are " + std::to_string(columns) + ". Give " +
                              (has_line ? "the file a line of names (--header says that the first line is one)"
                                        : "a table with a line of their names") +
                              "; the model asks for " + first_names(known[2]));
}

}  // namespace mercer
