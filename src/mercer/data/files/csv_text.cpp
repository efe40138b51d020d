#include "mercer/data/files/csv_text.h"

#include <limits>

#include "mercer/data/files/collect_columns.h"
#include "mercer/data/files/csv_layout.h"

namespace mercer {

DataFile read_csv(InputStream& stream, const ReadOptions& options, const Run& run) {
  TableLayout layout = CsvReader(stream, options, run).read(std::numeric_limits<Index>::max());
  DataFile file = collect_columns(layout, stream.name(), options, run);
  file.format = FileFormat::csv;
  return file;
}

}  // namespace mercer
