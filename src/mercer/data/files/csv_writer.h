// CsvWriter: a CSV file that is written block by block.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// Numbers, behind a column of texts where there is one. The file appears with
/// commit(), complete.
class CsvWriter {
 public:
  /// The line of names (empty: none), of the texts first where there are any.
  CsvWriter(const std::string& path, const std::vector<std::string>& names, const Run& run);
  /// `texts`: as many as rows; empty: none. `filled`: 0 for rows whose fields are all empty; empty: no row is such.
  void add(std::span<const std::string> texts, ConstMatrixView<double> numbers, std::span<const char> filled = {});
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  Run run_;
};

}  // namespace mercer
