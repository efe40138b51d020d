#include "mercer/data/files/tar_reader.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::size_t tar_block = 512;
constexpr Index largest_extension = Index{1} << 20;
constexpr const char* sparse_advice = "a file is stored with its holes left out; pack the archive without --sparse";

std::string_view tar_field(std::string_view header, std::size_t begin, std::size_t size) {
  const std::string_view field = header.substr(begin, size);
  return field.substr(0, field.find('\0'));
}

// Octal digits between blanks, or base 256 where the first bit is set.
std::optional<Index> tar_number(std::string_view field) {
  if (!field.empty() && (static_cast<unsigned char>(field[0]) & 0x80U) != 0) {
    Index value = static_cast<unsigned char>(field[0]) & 0x3FU;
    for (const char c : field.substr(1)) {
      if (value > std::numeric_limits<Index>::max() >> 9) {
        return std::nullopt;
      }
      value = value * 256 + static_cast<unsigned char>(c);
    }
    return value;
  }
  const std::string_view digits = trim(field.substr(0, field.find('\0')));
  Index value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '7' || value > std::numeric_limits<Index>::max() >> 4) {
      return std::nullopt;
    }
    value = value * 8 + (c - '0');
  }
  return value;
}

std::string without_leading_dots(std::string_view path) {
  while (path.starts_with("./") || path.starts_with('/')) {
    path.remove_prefix(path[0] == '/' ? 1 : 2);
  }
  return std::string(path);
}

}  // namespace

bool is_tar(std::string_view head) {
  if (head.size() < tar_block) {
    return false;
  }
  const std::string_view header = head.substr(0, tar_block);
  Index sum = 8 * Index{' '};  // the checksum's own field counts as blanks
  for (std::size_t i = 0; i < tar_block; ++i) {
    sum += i >= 148 && i < 156 ? 0 : static_cast<unsigned char>(header[i]);
  }
  const std::string_view written = header.substr(148, 8);
  return header[0] != '\0' && written.find_first_of("01234567") != written.npos && tar_number(written) == sum;
}

void TarReader::fail(const std::string& message) const {
  throw DataError({stream_.name()}, "archive, behind " + std::to_string(members_) + " members: " + message);
}

// False at the end: two blocks of zeros, or nothing at all.
bool TarReader::read_header(Header& header) {
  const std::size_t got = stream_.read(header.data(), header.size());
  if (got == 0) {
    return false;
  }
  if (got < header.size()) {
    fail("it ends within a header; it is incomplete, fetch it again");
  }
  const std::string_view bytes(header.data(), header.size());
  if (bytes.find_first_not_of('\0') == bytes.npos) {
    return false;
  }
  if (!is_tar(bytes)) {
    fail("the header that follows is damaged: its checksum is wrong");
  }
  return true;
}

void TarReader::skip_rest() {
  std::array<char, 65536> scratch{};
  while (left_ > 0) {
    read(scratch.data(), scratch.size());
  }
  if (padding_ > 0) {
    // The last member may lack its padding.
    stream_.read(scratch.data(), static_cast<std::size_t>(padding_));
    padding_ = 0;
  }
}

std::size_t TarReader::read(char* out, std::size_t count) {
  const std::size_t wanted = std::min(count, static_cast<std::size_t>(left_));
  const std::size_t got = stream_.read(out, wanted);
  left_ -= static_cast<Index>(got);
  if (got < wanted) {
    fail("it ends within '" + path_.substr(0, 200) + "'; it is incomplete, fetch it again");
  }
  return got;
}

std::string TarReader::read_text(Index size, std::string_view what) {
  if (size > largest_extension) {
    fail("a " + std::string(what) + " of " + std::to_string(size) + " bytes is refused");
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  read(text.data(), text.size());
  skip_rest();
  return text;
}

// Records "27 path=some/long/name\n".
void TarReader::read_extensions(const std::string& records) {
  std::string_view rest = records;
  while (!rest.empty() && rest[0] != '\0') {
    const auto blank = rest.find(' ');
    const auto length = blank == rest.npos ? std::nullopt : parse_integer(rest.substr(0, blank));
    if (!length || *length <= static_cast<long long>(blank) + 1 || *length > static_cast<long long>(rest.size())) {
      fail("a pax header is damaged");
    }
    std::string_view record = rest.substr(blank + 1, static_cast<std::size_t>(*length) - blank - 1);
    rest.remove_prefix(static_cast<std::size_t>(*length));
    if (!record.ends_with('\n')) {
      fail("a pax header is damaged");
    }
    record.remove_suffix(1);
    if (record.starts_with("GNU.sparse.")) {
      fail(sparse_advice);
    }
    if (record.starts_with("path=")) {
      long_path_ = record.substr(5);
    } else if (record.starts_with("size=")) {
      const auto size = parse_integer(record.substr(5));
      if (!size || *size < 0 || *size > std::numeric_limits<Index>::max() / 2) {
        fail("a pax header is damaged");
      }
      long_size_ = *size;
    }
  }
}

bool TarReader::next() {
  skip_rest();
  Header bytes;
  while (read_header(bytes)) {
    const std::string_view header(bytes.data(), bytes.size());
    const auto size = tar_number(header.substr(124, 12));
    if (!size || *size > std::numeric_limits<Index>::max() / 2) {
      fail("the size of a member is no number");
    }
    const char type = header[156];
    const bool has_long_size = long_size_ >= 0 && type != 'x' && type != 'g' && type != 'L' && type != 'K';
    left_ = has_long_size ? long_size_ : *size;
    padding_ = (static_cast<Index>(tar_block) - left_ % static_cast<Index>(tar_block)) % static_cast<Index>(tar_block);
    ++members_;
    if (type == 'x') {
      read_extensions(read_text(left_, "pax header"));
      continue;
    }
    if (type == 'S') {
      fail(sparse_advice);
    }
    if (type == 'L') {
      const std::string name = read_text(left_, "long name");
      long_path_ = name.substr(0, name.find('\0'));
      continue;
    }
    std::string path(tar_field(header, 0, 100));
    if (header.substr(257, 5) == "ustar" && header.substr(257, 6) != "ustar " && header[345] != '\0') {
      path.insert(0, "/").insert(0, tar_field(header, 345, 155));
    }
    path_ = without_leading_dots(long_path_.empty() ? path : long_path_);
    if (type != 'g' && type != 'K') {
      long_path_.clear();
      long_size_ = -1;
    }
    const bool is_file = type == '0' || type == '\0' || type == '7';
    if (is_file && !path_.ends_with('/')) {
      return true;
    }
    skip_rest();
  }
  return false;
}

}  // namespace mercer
