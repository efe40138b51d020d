// InputStream: the bytes of a file, of standard input ("-") or of memory, decompressed on the way where they begin
// with the signature of gzip, bzip2 or xz. Decompression is done block by block into the caller's buffer: memory does
// not depend on how far a stream expands.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "mercer/base/index.h"

namespace mercer {

class InputStream {
 public:
  /// Opens the file, or standard input for "-"; IoError where that fails.
  explicit InputStream(const std::string& path);
  /// Reads memory that the caller keeps alive; `name` stands in messages.
  InputStream(std::string name, std::string_view bytes);
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;
  InputStream(InputStream&&) = delete;
  InputStream& operator=(InputStream&&) = delete;

  /// The path, or "stdin".
  const std::string& name() const { return name_; }
  /// A regular file that is not compressed: it may be opened again and read at any place.
  bool is_plain_file() const { return plain_size_ >= 0; }
  /// The size of a plain file in bytes, otherwise -1.
  Index plain_size() const { return plain_size_; }

  /// The next bytes without taking them: `count` of them, or fewer where the stream ends before.
  std::string_view peek(std::size_t count);

  /// Takes the next bytes; fewer than `count` only at the end of the stream. A truncated or damaged compressed
  /// stream: DataError; a failing device: IoError.
  std::size_t read(char* out, std::size_t count);

  /// Takes exactly `count` bytes or throws DataError "ends within <what>".
  void read_exactly(char* out, std::size_t count, std::string_view what);

 private:
  class Source;
  class Decoder;
  class PlainDecoder;
  class GzipDecoder;
  class Bzip2Decoder;
  class XzDecoder;

  void choose_decoder();
  std::size_t decode(char* out, std::size_t count);

  std::string name_;
  std::unique_ptr<Source> source_;
  std::unique_ptr<Decoder> decoder_;
  std::string ahead_;  // decoded by peek, not yet taken
  std::size_t ahead_begin_ = 0;
  Index plain_size_ = -1;
};

}  // namespace mercer
