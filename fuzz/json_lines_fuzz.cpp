// Any bytes as JSON lines: a table whose own schema fits the same file, or a DataError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/files/json_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  mercer::ReadOptions options;
  options.targets_presence = mercer::Presence::optional;
  if (size % 2 == 0) {
    options.targets = {"y"};
  }
  if (size % 3 == 0) {
    options.missing = mercer::MissingValues::drop;
  }
  try {
    mercer::InputStream stream("fuzz", text);
    const mercer::DataFile first = mercer::read_json_lines(stream, options, run);
    if (first.targets && first.targets->size() != first.samples.size()) {
      std::abort();
    }
    options.schema = first.schema;
    mercer::InputStream again("fuzz", text);
    const mercer::DataFile second = mercer::read_json_lines(again, options, run);
    if (second.schema != first.schema || second.samples.size() != first.samples.size()) {
      std::abort();
    }
  } catch (const mercer::DataError&) {
  }
  return 0;
}
