#include "mercer/io/model_signature.h"

#include <cstdint>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/files/input_stream.h"

namespace mercer {

namespace {

constexpr std::size_t looked_at = std::size_t{64} << 10;

// Eight bytes with the length of a JSON object, which has the metadata first in every file that this library wrote.
bool begins_like_model_file(std::string_view bytes) {
  constexpr std::size_t length_bytes = 8;
  constexpr std::string_view opening = "{\"__metadata__\":";
  if (bytes.size() < length_bytes + opening.size()) {
    return false;
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  const std::string_view header = bytes.substr(length_bytes, length);
  return header.starts_with(opening) && header.find("\"mercer\":") != header.npos;
}

// A ZIP archive whose first member is the one that python/mercer/_bundle.py puts first; its name is at byte 30.
bool begins_like_bundle(std::string_view bytes) {
  constexpr std::size_t name_place = 30;
  return bytes.starts_with("PK\x03\x04") && bytes.size() > name_place &&
         bytes.substr(name_place).starts_with("estimator.json");
}

}  // namespace

FileContent look_at_content(const std::string& path) {
  try {
    InputStream stream(path);
    const std::string_view bytes = stream.peek(looked_at);
    if (bytes.empty() && stream.is_plain_file()) {
      return FileContent::nothing;
    }
    return begins_like_model_file(bytes) || begins_like_bundle(bytes) ? FileContent::model : FileContent::other;
  } catch (const Error&) {
    return FileContent::other;
  }
}

}  // namespace mercer
