// Any bytes are either a model, whose own bytes read back as themselves, or a DataError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mercer/base/error.h"
#include "mercer/io/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  std::string bytes;
  try {
    bytes = mercer::model_to_bytes(mercer::model_from_bytes({reinterpret_cast<const char*>(data), size}, "fuzz", run));
  } catch (const mercer::DataError&) {
    return 0;
  }
  if (mercer::model_to_bytes(mercer::model_from_bytes(bytes, "again", run)) != bytes) {
    std::abort();
  }
  return 0;
}
