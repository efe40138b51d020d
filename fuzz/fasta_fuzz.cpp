// Any bytes as FASTA: sequences without blanks and targets of equal length, or a DataError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/files/fasta_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  mercer::ReadOptions options;
  if (size % 2 == 0) {
    options.targets = {"id"};
  }
  if (size % 3 == 0) {
    options.weights = "w";
    options.targets_presence = mercer::Presence::optional;
  }
  if (size % 5 == 0) {
    options.missing = mercer::MissingValues::drop;
  }
  try {
    mercer::InputStream stream("fuzz", text);
    const mercer::DataFile file = mercer::read_fasta(stream, options, run);
    if (file.targets && file.targets->size() != file.samples.size()) {
      std::abort();
    }
    const auto& rows = file.samples.as<mercer::StringRows>();
    for (mercer::Index i = 0; i < rows.rows; ++i) {
      if (rows[i].find_first_of(" \t\r\n") != std::string_view::npos || rows[i].ends_with('*')) {
        std::abort();
      }
    }
  } catch (const mercer::DataError&) {
  }
  return 0;
}
