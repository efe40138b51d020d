// Any bytes as LIBSVM text: either samples that are valid, the same for every cutting into pieces, or a DataError.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/files/libsvm_text.h"

namespace {

struct Outcome {
  std::optional<mercer::DataFile> file;
  std::string error;
};

Outcome read(std::string_view text, mercer::Index chunk_bytes, mercer::LibsvmIndices indices, const mercer::Run& run) {
  mercer::ReadOptions options;
  options.chunk_bytes = chunk_bytes;
  options.indices = indices;
  try {
    return {mercer::read_libsvm(text, "fuzz", options, run), {}};
  } catch (const mercer::DataError& error) {
    return {std::nullopt, error.what()};
  }
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto indices = static_cast<mercer::LibsvmIndices>(size % 4);
  const Outcome whole = read(text, mercer::Index{1} << 20, indices, run);
  const Outcome pieces = read(text, 7, indices, run);
  require(whole.error == pieces.error);
  if (whole.file) {
    const auto& a = whole.file->samples.as<mercer::SparseRows<double>>();
    const auto& b = pieces.file->samples.as<mercer::SparseRows<double>>();
    mercer::require_valid(a);
    require(a.rows == b.rows && a.columns == b.columns && a.offsets[a.rows] == b.offsets[b.rows]);
    for (mercer::Index p = 0; p < a.offsets[a.rows]; ++p) {
      require(a.values[p] == b.values[p] && a.column_numbers[p] == b.column_numbers[p]);
    }
  }
  return 0;
}
