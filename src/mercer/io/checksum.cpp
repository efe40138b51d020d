#include "mercer/io/checksum.h"

#include <lzma.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "mercer/base/error.h"

namespace mercer {

namespace {

constexpr std::string_view blank = "0000000000000000";

class Checksum {
 public:
  void add(std::string_view bytes) {
    value_ = lzma_crc64(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), value_);
  }
  std::string digits() const {
    std::string text(blank.size() + 1, '\0');
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value_));
    text.pop_back();
    return text;
  }

 private:
  std::uint64_t value_ = 0;
};

[[noreturn]] void reject() {
  throw DataError("the file is damaged: its checksum is not that of its bytes. Copy or write it anew");
}

}  // namespace

void write_with_checksum(TensorFile file, const std::function<void(std::string_view)>& sink) {
  file.metadata[checksum_key] = blank;
  Checksum sum;
  write_safetensors(file, [&](std::string_view bytes) { sum.add(bytes); });
  file.metadata[checksum_key] = sum.digits();
  write_safetensors(file, sink);
}

void require_checksum(const TensorFile& file, std::string_view bytes) {
  const auto stored = file.metadata.find(checksum_key);
  if (stored == file.metadata.end() || stored->second.size() != blank.size()) {
    reject();
  }
  // Texts inside the metadata have their quotes escaped: the entry as a whole stands there only once.
  const std::string entry = "\"" + std::string(checksum_key) + "\":\"" + stored->second + "\"";
  const std::size_t begin = bytes.find(entry);
  if (begin == std::string_view::npos) {
    reject();
  }
  const std::size_t digits = begin + entry.size() - 1 - blank.size();
  Checksum sum;
  sum.add(bytes.substr(0, digits));
  sum.add(blank);
  sum.add(bytes.substr(digits + blank.size()));
  if (sum.digits() != stored->second) {
    reject();
  }
}

}  // namespace mercer
