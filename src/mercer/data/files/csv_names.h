// What the columns of a delimited text are called, before anything is read of them: its separator, whether its first line
// holds names, and the names of the training file where it does not.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/files/table_layout.h"

namespace mercer {

// Names that stand several times in the first line, with the second column of that name.
using RepeatedNames = std::map<std::string, std::size_t>;

/// What the columns of a table must hold for a model that was fitted on samples without names.
std::optional<ColumnKind> nameless_kind(SampleKind kind);

/// That of the options, or the one that the first lines show. A first line that is the name of a column that is asked for,
/// blanks and all, stands above one column.
char separator_of(InputStream& stream, const ReadOptions& options);

/// What the first line is. `places`: names that are the numbers 0, 1, 2 …, in a file for a model whose training file had no
/// columns of such names: they are known by their places.
enum class HeaderLine { none, names, places };
/// As the options say, or as it looks, with a warning where it could be a sample. DataError for places behind an index that the
/// training file did not have.
HeaderLine header_line(InputStream& stream, char separator, const ReadOptions& options, const Run& run);

/// Takes the fields of the first line for names, or calls columns after their places, as it does those whose name is empty.
/// A name that comes again gets a number: score, score.1, score.2.
RepeatedNames name_columns(TableLayout& layout, const std::vector<std::string_view>& fields,
                           const std::optional<Schema>& schema);

/// Where a schema has such a name once, the first column of that name is read and others are passed over.
void warn_of_repeated_names(const TableLayout& layout, RepeatedNames repeated, const std::optional<Schema>& schema,
                            const std::string& file, const Run& run);

/// A model of columns with names takes a file without names by the places of its columns (names_by_place()).
void take_names_of_training(TableLayout& layout, HeaderLine header, const ReadOptions& options, const std::string& file,
                            const Run& run);

}  // namespace mercer
