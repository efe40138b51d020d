// LineReader: the lines of a text, one by one, of any length up to a bound. Lines end with \n or \r\n; a UTF-8 byte order
// mark is skipped. Memory follows the longest line that is really there.
#pragma once

#include <string_view>
#include <vector>

#include "mercer/data/files/input_stream.h"

namespace mercer {

class LineReader {
 public:
  /// Lines longer than `longest` bytes are a DataError.
  LineReader(InputStream& stream, std::size_t longest) : stream_(stream), longest_(longest) {}

  /// The next line without its end; false behind the last. The view is valid until the next call.
  bool next(std::string_view& line);

  /// The number of the current line, from 1.
  Index line() const { return line_; }
  /// Bytes that have been read so far.
  Index bytes() const { return bytes_; }
  const std::string& name() const { return stream_.name(); }

 private:
  bool refill();
  [[noreturn]] void reject_length() const;

  InputStream& stream_;
  std::size_t longest_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Index line_ = 0;
  Index bytes_ = 0;
  bool finished_ = false;
};

}  // namespace mercer
