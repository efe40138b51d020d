#include "mercer/report/data_hash.h"

#include <array>
#include <filesystem>
#include <fstream>

#include "mercer/base/error.h"
#include "mercer/data/files/text_folder.h"

namespace mercer {

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t start) {
  constexpr std::uint64_t prime = 1099511628211ULL;
  std::uint64_t hash = start;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
  }
  return hash;
}

std::string hash_text(std::uint64_t hash) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text = "fnv1a64:";
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += digits[(hash >> shift) & 15];
  }
  return text;
}

std::string file_hash(const std::string& path) {
  std::error_code failure;
  if (path == "-" || std::filesystem::is_directory(path, failure)) {
    return {};
  }
  const auto inside = find_archive(path);
  std::ifstream file(inside && !std::filesystem::exists(path, failure) ? inside->archive : path, std::ios::binary);
  if (!file) {
    throw IoError(path + ": cannot be opened");
  }
  std::array<char, 65536> buffer{};
  std::uint64_t hash = fnv1a({});
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    hash = fnv1a({buffer.data(), static_cast<std::size_t>(file.gcount())}, hash);
  }
  return hash_text(hash);
}

}  // namespace mercer
