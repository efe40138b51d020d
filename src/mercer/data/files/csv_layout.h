// From the text of a CSV file to its columns: the layout at once, then the records, all or some at a time.
#pragma once

#include <string_view>
#include <vector>

#include "mercer/data/files/csv_names.h"
#include "mercer/data/files/csv_tokenizer.h"
#include "mercer/data/files/table_layout.h"

namespace mercer {

class CsvReader {
 public:
  /// Separator, header, roles and forced kinds come from the options where they are given. The stream must outlive the
  /// reader.
  CsvReader(InputStream& stream, const ReadOptions& options, const Run& run);

  /// The columns with the next records in them, at most so many; with none at the end of the text.
  TableLayout read(Index most);

 private:
  void add_record(TableLayout& layout);
  void add_broken_record(TableLayout& layout);
  [[noreturn]] void reject_length(std::size_t fields, Index line, std::size_t columns) const;

  InputStream& stream_;
  Run run_;
  char separator_;
  HeaderLine header_;  // found before the tokenizer passes over a byte order mark
  CsvTokenizer tokenizer_;
  TableLayout layout_;                    // without records
  std::vector<std::string_view> record_;  // the next one
  bool more_ = false;                     // whether there is one
  Index first_line_ = 0;
  Index rows_ = 0;
};

}  // namespace mercer
