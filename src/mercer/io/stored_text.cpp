// Texts in JSON, which must be UTF-8, while names of columns and categories may be any bytes.
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/io/stored_samples.h"

namespace mercer {

namespace {

using Json = nlohmann::json;

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(Json(text).dump());
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

std::string widened_bytes(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xC0 | (byte >> 6));
      result += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return result;
}

std::string narrowed_bytes(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      result += text[i];
    } else if ((byte == 0xC2 || byte == 0xC3) && i + 1 < text.size()) {
      result += static_cast<char>((byte << 6) | (static_cast<unsigned char>(text[++i]) & 0x3F));
    } else {
      throw DataError("a text of bytes holds a character above 255");
    }
  }
  return result;
}

}  // namespace

Json store_text(const std::string& text) { return is_utf8(text) ? Json(text) : Json{{"bytes", widened_bytes(text)}}; }

std::string restore_text(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  const Json& bytes = json_member(value, "bytes");
  if (!bytes.is_string()) {
    throw DataError("a text is neither a JSON string nor bytes");
  }
  return narrowed_bytes(bytes.get<std::string>());
}

const Json& json_member(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) {
    throw DataError("the description lacks '" + std::string(name) + "'");
  }
  return object.at(name);
}

}  // namespace mercer
