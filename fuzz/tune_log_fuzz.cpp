// Any bytes as the log of a search: a table whose best point is one of its points, or a DataError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mercer/base/error.h"
#include "mercer/select/search/tune_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const mercer::TuneRecord record = mercer::parse_tune_log({reinterpret_cast<const char*>(data), size}, "fuzz");
    const auto points = static_cast<mercer::Index>(record.table.points.size());
    if (record.table.best >= points || record.table.chosen >= points) {
      std::abort();
    }
    (void)mercer::table_text(record.table);
  } catch (const mercer::DataError&) {
  }
  return 0;
}
