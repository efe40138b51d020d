// Schema: what the columns of the training samples were, so that a file read at prediction gives the same columns in
// the same order with the same category codes. Plain members: a model file stores them as they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/data/notation.h"
#include "mercer/data/samples.h"

namespace mercer {

enum class ColumnKind { numeric, categorical, text, set, bag, graph };
constexpr auto words_of(ColumnKind) {
  return std::array{Word{ColumnKind::numeric, "numeric"}, Word{ColumnKind::categorical, "categorical"},
                    Word{ColumnKind::text, "text"},       Word{ColumnKind::set, "set"},
                    Word{ColumnKind::bag, "bag"},         Word{ColumnKind::graph, "graph"}};
}
constexpr std::string_view to_string(ColumnKind kind) { return word_of(kind); }
/// The kind of a column that is no part of a numeric block.
ColumnKind column_kind(const Samples& column);

struct SchemaColumn {
  std::string name;
  ColumnKind kind = ColumnKind::numeric;
  /// Of a categorical column: its levels. Of sets and graphs: the words whose numbers their members and labels are;
  /// empty where these are numbers themselves, and a file with words is then refused. Samples do not carry such words:
  /// readers fill them in.
  std::vector<std::string> levels = {};
  /// How files write the numbers of a numeric column.
  Notation notation = Notation::plain;
  /// Of a numeric column that no file has: which part it is of the dates of which column.
  DatePart part = DatePart::none;
  std::string dates = {};
  bool operator==(const SchemaColumn&) const = default;
};

/// Of a table: its columns, numeric ones first, in the order of the samples. Of dense and sparse samples without
/// names: only their number. Other kinds (strings, graphs …): neither.
struct Schema {
  SampleKind kind = SampleKind::dense;
  Index numeric_columns = 0;
  std::vector<SchemaColumn> columns;
  /// Of a file without names of columns: how many it had, and the numbers of those that were no inputs, ascending. A file
  /// that has so many fewer has the inputs alone. 0: columns had names (file_names), or are not of a file.
  Index file_columns = 0;
  std::vector<Index> not_inputs = {};
  /// Of a file with names of columns: all of them, in its order, inputs or not; not_inputs counts among them. A file without
  /// names that has as many columns, or the inputs alone, is read by their places.
  std::vector<std::string> file_names = {};
  bool operator==(const Schema&) const = default;
};

Schema schema_of(const Samples& samples);

/// The samples with the columns of the schema: other order allowed, extra columns left out, categories coded by the
/// schema's levels (an unknown one is -1); members of sets and labels of graphs must have been numbered by them before,
/// as readers do. Samples without a name stand for the only column of a table of their kind. Sparse samples may be narrower; columns beyond the schema's are left out
/// with one warning. DataError names a column that is missing or of another kind.
Samples apply_schema(const Samples& samples, const Schema& schema, const Run& run = {});

/// Sparse samples seen as wider, without a copy; InvalidArgument where they are wider already.
Samples widened(const Samples& sparse, Index columns);

}  // namespace mercer
