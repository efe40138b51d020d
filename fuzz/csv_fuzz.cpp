// Any bytes as a delimited table: samples and targets of equal length, or a DataError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/files/csv_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  mercer::ReadOptions options;
  if (size % 2 == 0) {
    options.targets = {"0"};
  }
  if (size % 3 == 0) {
    options.missing = mercer::MissingValues::drop;
  }
  if (size % 5 == 0) {
    options.categorical = {"-1"};
  }
  try {
    mercer::InputStream stream("fuzz", text);
    const mercer::DataFile first = mercer::read_csv(stream, options, run);
    if (first.targets && first.targets->size() != first.samples.size()) {
      std::abort();
    }
    // Its own schema fits the same file.
    options.schema = first.schema;
    options.categorical.clear();
    mercer::InputStream again("fuzz", text);
    if (mercer::read_csv(again, options, run).schema != first.schema) {
      std::abort();
    }
  } catch (const mercer::DataError&) {
  }
  return 0;
}
