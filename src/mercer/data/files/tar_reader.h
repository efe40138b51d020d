// TarReader: the members of a tar archive, one after the other, from any stream; nothing is written to disk.
//
// ustar, GNU (long names) and pax headers (path and size). Sizes and checksums are not trusted: contents are handed on as
// they are read. Links, devices and sparse files are passed over.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "mercer/data/files/input_stream.h"

namespace mercer {

class TarReader {
 public:
  explicit TarReader(InputStream& stream) : stream_(stream) {}

  /// Goes on to the next regular file; false at the end. DataError where a header is damaged or the archive ends within a
  /// member.
  bool next();

  /// The path of the member, without "./" and "/" before it.
  const std::string& path() const { return path_; }
  /// The next bytes of the member's contents; 0 at its end.
  std::size_t read(char* out, std::size_t count);

 private:
  using Header = std::array<char, 512>;
  bool read_header(Header& header);
  void skip_rest();
  std::string read_text(Index size, std::string_view what);
  void read_extensions(const std::string& records);
  [[noreturn]] void fail(const std::string& message) const;

  InputStream& stream_;
  std::string path_;
  std::string long_path_;  // from an extension header, for the next member
  Index long_size_ = -1;
  Index left_ = 0;     // of the contents
  Index padding_ = 0;  // behind them
  Index members_ = 0;
};

/// Whether a stream that begins with these bytes is a tar archive: 512 bytes with a right checksum.
bool is_tar(std::string_view head);

}  // namespace mercer
