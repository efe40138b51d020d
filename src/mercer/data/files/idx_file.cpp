#include "mercer/data/files/idx_file.h"

#include <array>

#include "mercer/base/error.h"
#include "mercer/data/files/array_file.h"

namespace mercer {

namespace {

std::optional<NumberType> number_type(char code) {
  switch (code) {
    case 0x08:
      return NumberType::uint8;
    case 0x09:
      return NumberType::int8;
    case 0x0B:
      return NumberType::int16;
    case 0x0C:
      return NumberType::int32;
    case 0x0D:
      return NumberType::float32;
    case 0x0E:
      return NumberType::float64;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_idx(std::string_view head) {
  return head.size() >= 4 && head[0] == 0 && head[1] == 0 && number_type(head[2]) && head[3] > 0;
}

DataFile read_idx(InputStream& stream, const ReadOptions& options, const Run& run) {
  std::array<char, 4> start{};
  stream.read_exactly(start.data(), start.size(), "its signature");
  if (!is_idx({start.data(), start.size()})) {
    throw DataError({stream.name()}, "this is not an idx file: it does not begin with two zero bytes and a known type");
  }
  ArrayShape shape;
  shape.type = *number_type(start[2]);
  shape.bytes = ByteOrder::big;
  std::vector<Index> dimensions;
  for (int k = 0; k < start[3]; ++k) {
    std::array<char, 4> bytes{};
    stream.read_exactly(bytes.data(), bytes.size(), "its dimensions");
    Index size = 0;
    for (const char byte : bytes) {
      size = size << 8 | static_cast<unsigned char>(byte);
    }
    dimensions.push_back(size);
  }
  set_dimensions(shape, dimensions, stream.name());
  DataFile file = read_array(stream, shape, options, run);
  file.format = FileFormat::idx;
  return file;
}

}  // namespace mercer
