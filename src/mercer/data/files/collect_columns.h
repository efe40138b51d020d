// From columns that have been read to samples, targets, weights, groups and noise: what CSV, JSON lines and the keys of
// FASTA headers have in common.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mercer/data/files/table_layout.h"

namespace mercer {

/// Checks the values (missing, not finite, odd words: DataError with the place), drops incomplete rows where the options
/// say so, and brings the columns into the order of the schema where there is one. `inputs`: the samples, where the
/// layout holds only what belongs to them; `name`: the file.
DataFile collect_columns(TableLayout& layout, const std::string& name, const ReadOptions& options, const Run& run,
                         std::optional<Samples> inputs = std::nullopt);

/// The records that have been read.
Index row_count(const TableLayout& layout);

/// The numbers of columns that serve another purpose than inputs: targets, weights, groups and noise.
std::vector<Index> columns_beside_inputs(const TableLayout& layout);

/// A column as target: numbers, and labels where numbers do not tell them. `kind`: how labels are read, where a model says so.
TargetColumn make_target(const FieldColumn& column, std::optional<LabelKind> kind = std::nullopt);

/// An empty column whose words are numbered by the schema's column of that name, or by a schema without names, whose
/// members and labels are numbers.
std::shared_ptr<ObjectColumn> make_object_column(ColumnKind kind, const std::string& name,
                                                 const std::optional<Schema>& schema);

}  // namespace mercer
