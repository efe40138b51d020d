// Any bytes as an archive of texts: at most as many bytes of texts as the archive has, or a DataError. Checksums are made
// right first, so that what stands behind them is reached.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/files/text_folder.h"

namespace {

void repair_checksums(std::string& bytes) {
  for (std::size_t block = 0; block + 512 <= bytes.size(); block += 512) {
    bytes.replace(block + 148, 8, "        ");
    unsigned sum = 0;
    for (std::size_t i = 0; i < 512; ++i) {
      sum += static_cast<unsigned char>(bytes[block + i]);
    }
    std::snprintf(bytes.data() + block + 148, 7, "%06o", sum);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size % 4 != 0) {
    repair_checksums(bytes);
  }
  try {
    mercer::InputStream stream("fuzz", bytes);
    const mercer::DataFile file = mercer::read_text_archive(stream, size % 3 == 0 ? "a" : "", run);
    const auto& rows = file.samples.as<mercer::StringRows>();
    if (rows.offsets[rows.rows] - rows.offsets[0] > static_cast<mercer::Index>(size)) {
      std::abort();
    }
  } catch (const mercer::DataError&) {
  }
  return 0;
}
