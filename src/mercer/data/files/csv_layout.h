// The columns of a delimited text: their names, what each one serves for, and their contents.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/data/files/csv_column.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/files/object_column.h"

namespace mercer {

enum class CsvRole { input, target, weights, groups, noise, ignored };

/// The columns of a file, what each is for, and what has been read of it.
struct CsvLayout {
  std::vector<std::string> names;  ///< of the file's columns; empty where they have none
  std::vector<CsvRole> roles;
  std::vector<std::size_t> targets;  ///< file columns in the order the caller named them
  std::vector<CsvColumn> columns;
  /// Beside each column: its contents where these are sets, bags or graphs that have been read as such. May be shorter.
  std::vector<std::shared_ptr<ObjectColumn>> objects;
  bool named = false;
};

/// Reads the whole text. Separator, header, roles and forced kinds come from the options where they are given.
CsvLayout read_csv_columns(InputStream& stream, const ReadOptions& options, const Run& run);

/// Inputs that the options say nobody will look at become ignored.
void leave_out_unneeded(CsvLayout& layout, const ReadOptions& options);

}  // namespace mercer
