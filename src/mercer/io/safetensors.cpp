#include "mercer/io/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"

namespace mercer {

namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored little endian, as they stand in memory");

using Json = nlohmann::json;

// The reference implementation refuses longer headers too.
constexpr std::uint64_t longest_header = 100'000'000;
constexpr int deepest_tensor_header = 4;
constexpr Index most_columns = (Index{1} << 31) - 1;
constexpr std::uint64_t alignment = 8;

struct TypeRow {
  TensorType type;
  std::string_view name;
  Index size;
};
constexpr std::array<TypeRow, 5> types{{{TensorType::f64, "F64", 8},
                                        {TensorType::f32, "F32", 4},
                                        {TensorType::i64, "I64", 8},
                                        {TensorType::i32, "I32", 4},
                                        {TensorType::u8, "U8", 1}}};

const TypeRow& row_of(TensorType type) {
  return *std::find_if(types.begin(), types.end(), [&](const TypeRow& row) { return row.type == type; });
}

TensorType parse_type(const std::string& tensor, const Json& value) {
  const std::string name = value.is_string() ? value.get<std::string>() : std::string("no text");
  const auto found = std::find_if(types.begin(), types.end(), [&](const TypeRow& row) { return row.name == name; });
  if (found == types.end()) {
    throw DataError("tensor '" + tensor + "' has the type " + name + "; F64, F32, I64, I32 and U8 are known");
  }
  return found->type;
}

Json parse_tensor_header(std::string_view text) {
  const auto depth_limit = [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest_tensor_header) {
      throw DataError("the header is nested deeper than a safetensors header can be");
    }
    return true;
  };
  try {
    Json header = Json::parse(text.begin(), text.end(), depth_limit);
    if (!header.is_object()) {
      throw DataError("the header is not a JSON object");
    }
    return header;
  } catch (const Json::exception& error) {
    throw DataError("the header is not JSON: " + std::string(error.what()));
  }
}

// A whole number in [0, limit].
Index parse_index(const Json& value, Index limit, const std::string& what) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > static_cast<std::uint64_t>(limit)) {
    throw DataError(what + " is not a whole number from 0 to " + std::to_string(limit));
  }
  return static_cast<Index>(value.get<std::uint64_t>());
}

struct Entry {
  std::string name;
  Tensor tensor;
  Index begin = 0;
  Index end = 0;
};

Entry parse_entry(const std::string& name, const Json& value, Index data_size, Index file_size) {
  const std::string what = "tensor '" + name + "'";
  if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") || !value.contains("data_offsets")) {
    throw DataError(what + " lacks dtype, shape or data_offsets");
  }
  Entry entry{.name = name, .tensor = {}};
  entry.tensor.type = parse_type(name, value["dtype"]);
  const Json& shape = value["shape"];
  const Json& offsets = value["data_offsets"];
  if (!shape.is_array() || shape.size() > 8 || !offsets.is_array() || offsets.size() != 2) {
    throw DataError(what + " has a shape or data_offsets that are no lists of numbers");
  }
  entry.begin = parse_index(offsets[0], data_size, what + ": the first data offset");
  entry.end = parse_index(offsets[1], data_size, what + ": the second data offset");
  // Tensors without elements cannot claim endless rows: somewhere in the file every row owns a byte.
  __int128 bytes = element_size(entry.tensor.type);
  for (const Json& size : shape) {
    const Index limit = entry.tensor.shape.empty() ? file_size : most_columns;
    entry.tensor.shape.push_back(parse_index(size, limit, what + ": a size in its shape"));
    bytes *= entry.tensor.shape.back();
    if (bytes > data_size) {
      throw DataError(what + " claims more bytes than the file has");
    }
  }
  if (entry.end < entry.begin || bytes != entry.end - entry.begin) {
    throw DataError(what + ": its data offsets do not fit its shape");
  }
  return entry;
}

// Copies a tensor whose place in the file is not a multiple of its element size.
void align(Tensor& tensor) {
  const auto size = static_cast<std::uintptr_t>(element_size(tensor.type));
  if (reinterpret_cast<std::uintptr_t>(tensor.data) % size == 0) {
    return;
  }
  auto copy = std::make_shared<Buffer<char>>(tensor.bytes());
  std::memcpy(copy->data(), tensor.data, static_cast<std::size_t>(tensor.bytes()));
  tensor.data = copy->data();
  tensor.owner = std::move(copy);
}

}  // namespace

std::string_view to_string(TensorType type) { return row_of(type).name; }
Index element_size(TensorType type) { return row_of(type).size; }

Index Tensor::count() const {
  Index product = 1;
  for (const Index size : shape) {
    product *= size;
  }
  return product;
}

const Tensor& TensorFile::require(const std::string& name) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) {
    throw DataError("the tensor '" + name + "' is missing");
  }
  return found->second;
}

const Tensor& TensorFile::require(const std::string& name, TensorType type, std::size_t dimensions) const {
  const Tensor& tensor = require(name);
  if (tensor.type != type || tensor.shape.size() != dimensions) {
    throw DataError("the tensor '" + name + "' must be of type " + std::string(to_string(type)) + " with " +
                    std::to_string(dimensions) + " dimensions; it is of type " + std::string(to_string(tensor.type)) +
                    " with " + std::to_string(tensor.shape.size()));
  }
  return tensor;
}

void write_safetensors(const TensorFile& file, const std::function<void(std::string_view)>& sink) {
  std::vector<std::pair<std::string, const Tensor*>> order;
  for (const auto& [name, tensor] : file.tensors) {
    order.emplace_back(name, &tensor);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return element_size(a.second->type) > element_size(b.second->type);
  });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  header["__metadata__"] = file.metadata;
  Index offset = 0;
  for (const auto& [name, tensor] : order) {
    header[name] = {{"dtype", to_string(tensor->type)},
                    {"shape", tensor->shape},
                    {"data_offsets", {offset, offset + tensor->bytes()}}};
    offset += tensor->bytes();
  }
  std::string text = header.dump();
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  std::array<char, sizeof(std::uint64_t)> length{};
  const std::uint64_t size = text.size();
  std::memcpy(length.data(), &size, sizeof size);
  sink({length.data(), length.size()});
  sink(text);
  for (const auto& [name, tensor] : order) {
    if (tensor->bytes() > 0) {
      sink({tensor->data, static_cast<std::size_t>(tensor->bytes())});
    }
  }
}

TensorFile parse_safetensors(std::shared_ptr<const Buffer<char>> bytes) {
  std::uint64_t length = 0;
  const auto total = static_cast<std::uint64_t>(bytes->size());
  if (total < sizeof length) {
    throw DataError("too short to be a model file: " + std::to_string(total) + " bytes");
  }
  std::memcpy(&length, bytes->data(), sizeof length);
  if (length > longest_header) {
    throw DataError("no model file, or cut short: it does not begin as one");  // but with text, or something else
  }
  if (length > total - sizeof length) {
    throw DataError("no model file, or cut short: its header claims " + std::to_string(length) +
                    " bytes, the file has " + std::to_string(total));
  }
  const Json header = parse_tensor_header({bytes->data() + sizeof length, static_cast<std::size_t>(length)});
  const char* const data = bytes->data() + sizeof length + length;
  const auto data_size = static_cast<Index>(total - sizeof length - length);

  TensorFile file;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != "__metadata__") {
      entries.push_back(parse_entry(name, value, data_size, bytes->size()));
      continue;
    }
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) {
        throw DataError("the metadata are not a map of texts");
      }
      file.metadata.emplace(key, text.get<std::string>());
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  Index expected = 0;
  for (Entry& entry : entries) {
    if (entry.begin != expected) {
      throw DataError("tensor '" + entry.name + "' begins at byte " + std::to_string(entry.begin) + " of the data, " +
                      std::to_string(expected) + " was expected: tensors may neither overlap nor leave gaps");
    }
    expected = entry.end;
    entry.tensor.data = data + entry.begin;
    entry.tensor.owner = bytes;
    align(entry.tensor);
    file.tensors.emplace(entry.name, std::move(entry.tensor));
  }
  if (expected != data_size) {
    throw DataError("the tensors end at byte " + std::to_string(expected) + " of the data, the file has " +
                    std::to_string(data_size) + " bytes of them");
  }
  return file;
}

}  // namespace mercer
