#include "mercer/data/files/csv_text.h"

#include <limits>

#include "mercer/data/files/collect_columns.h"
#include "mercer/data/files/csv_layout.h"
#include "mercer/data/files/kept_rows.h"

namespace mercer {

DataFile read_csv(InputStream& stream, const ReadOptions& options, const Run& run) {
  TableLayout layout = CsvReader(stream, options, run).read(std::numeric_limits<Index>::max());
  DataFile file = collect_columns(layout, stream.name(), options, run);
  if (!options.schema && layout.named && !file.schema.columns.empty()) {
    file.schema.file_names = layout.names;
    file.schema.not_inputs = columns_beside_inputs(layout);
  }
  require_rows_left(file.samples.size(), file.dropped_rows, stream.name());
  file.format = FileFormat::csv;
  return file;
}

}  // namespace mercer
