// Any bytes are either a model, whose own bytes read back as themselves, or a DataError. Bytes that are tensors get the
// checksum that they should have, so that what it guards is tried too.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/io/checksum.h"
#include "mercer/io/model_file.h"

namespace {

std::string with_right_checksum(std::string_view data) {
  auto copy = std::make_shared<mercer::Buffer<char>>(static_cast<mercer::Index>(data.size()));
  std::copy(data.begin(), data.end(), copy->data());
  const mercer::TensorFile file = mercer::parse_safetensors(copy);
  if (!file.metadata.contains(mercer::checksum_key)) {
    return std::string(data);
  }
  std::string bytes;
  mercer::write_with_checksum(file, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  std::string bytes;
  try {
    const std::string input = with_right_checksum({reinterpret_cast<const char*>(data), size});
    bytes = mercer::model_to_bytes(mercer::model_from_bytes(input, "fuzz", run));
  } catch (const mercer::DataError&) {
    return 0;
  }
  if (mercer::model_to_bytes(mercer::model_from_bytes(bytes, "again", run)) != bytes) {
    std::abort();
  }
  return 0;
}
