// Any bytes, also compressed ones, as an array in the npy format: samples of the announced shape, or a DataError.
#include <cstdint>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/files/npy_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  mercer::ReadOptions options;
  if (size % 2 == 0) {
    options.targets = {"-1"};
  }
  try {
    mercer::InputStream stream("fuzz", {reinterpret_cast<const char*>(data), size});
    const mercer::DataFile file = mercer::read_npy(stream, options, run);
    mercer::require_finite(file.samples);
  } catch (const mercer::DataError&) {
  }
  return 0;
}
