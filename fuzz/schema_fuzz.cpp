// Any bytes as two files, divided by a line of "---": the second, read with the schema of the first as at prediction,
// gives samples of that schema or a DataError. The first byte says what the files are.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"

namespace {

mercer::DataFile read(std::string_view text, const mercer::ReadOptions& options) {
  static const mercer::Run run{{.threads = 1}};
  mercer::InputStream stream("fuzz", text);
  return mercer::read_data(stream, options, run);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view divider = "\n---\n";
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const auto middle = all.find(divider);
  if (size == 0 || middle == all.npos || middle < 1) {
    return 0;
  }
  mercer::ReadOptions options;
  options.targets = {"y"};
  options.targets_presence = mercer::Presence::optional;
  options.format = (data[0] & 1) != 0 ? mercer::FileFormat::json_lines : mercer::FileFormat::csv;
  if (options.format == mercer::FileFormat::csv && (data[0] & 2) != 0) {
    options.sets = {"0"};
  }
  try {
    const mercer::DataFile first = read(all.substr(1, middle - 1), options);
    options.sets.clear();
    options.schema = first.schema;
    options.format = (data[0] & 4) != 0 ? mercer::FileFormat::json_lines : mercer::FileFormat::csv;
    options.targets_presence = (data[0] & 8) != 0 ? mercer::Presence::ignored : mercer::Presence::optional;
    const mercer::DataFile second = read(all.substr(middle + divider.size()), options);
    const bool has_targets = second.targets.has_value();
    if (second.schema != first.schema || (has_targets && second.targets->size() != second.samples.size())) {
      std::abort();
    }
  } catch (const mercer::DataError&) {
  }
  return 0;
}
