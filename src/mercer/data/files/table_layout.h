// The columns of a table that is read field by field: their names, what each one serves for, and their contents. CSV, the
// keys of JSON lines and those of FASTA headers are such tables.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/data/files/data_file.h"
#include "mercer/data/files/field_column.h"
#include "mercer/data/files/object_column.h"

namespace mercer {

enum class ColumnRole { input, target, weights, groups, noise, ignored };

/// The columns of a file, what each is for, and what has been read of it.
struct TableLayout {
  std::vector<std::string> names;  ///< of the file's columns; empty where they have none
  std::vector<ColumnRole> roles;
  std::vector<std::size_t> targets;  ///< file columns in the order the caller named them
  std::vector<FieldColumn> columns;
  /// Beside each column: its contents where these are sets, bags or graphs that have been read as such. May be shorter.
  std::vector<std::shared_ptr<ObjectColumn>> objects;
  bool named = false;
  NotationFinder::DecimalComma comma = NotationFinder::DecimalComma::impossible;
};

/// How a schema says that the numbers of a file's column are written.
Notation notation_of(const std::string& column, const std::optional<Schema>& schema);

/// The columns that a reference means, in the order of the file: by name; by number from 0, where -1 is the last; by range,
/// age:bmi with both ends, 0:3 without the last one. Empty: none is meant.
std::vector<std::size_t> find_columns(const std::string& reference, std::span<const std::string> names);
/// Whether one of the references means the column that comes behind those `before`, while later ones are not known yet: a
/// range of names is open from its first to its last. No -1.
bool means_column(std::span<const std::string> references, const std::string& name,
                  std::span<const std::string> before);

/// Inputs that the options say nobody will look at become ignored.
void leave_out_unneeded(TableLayout& layout, const ReadOptions& options);

}  // namespace mercer
