#include "mercer/data/files/line_reader.h"

#include <algorithm>

#include "mercer/base/error.h"

namespace mercer {

void LineReader::reject_length() const {
  throw DataError({stream_.name(), line_ + 1},
                  "the line is longer than " + std::to_string(longest_) + " bytes; is a line end missing?");
}

// Moves the unfinished line to the front and reads behind it; a line that fills the buffer makes it grow.
bool LineReader::refill() {
  constexpr std::size_t smallest = std::size_t{256} << 10;
  if (finished_) {
    return false;
  }
  const std::size_t open = end_ - begin_;
  if (open > longest_) {
    reject_length();
  }
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  begin_ = 0;
  end_ = open;
  if (buffer_.size() < std::max(smallest, 2 * open)) {
    buffer_.resize(std::max(smallest, 2 * open));
  }
  const std::size_t wanted = buffer_.size() - end_;
  const std::size_t got = stream_.read(buffer_.data() + end_, wanted);
  end_ += got;
  bytes_ += static_cast<Index>(got);
  finished_ = got < wanted;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  if (line_ == 0 && end_ == 0 && refill()) {
    if (std::string_view(buffer_.data(), end_).starts_with("\xEF\xBB\xBF")) {
      begin_ = 3;
    }
  }
  std::size_t scanned = 0;
  while (true) {
    const std::string_view open(buffer_.data() + begin_, end_ - begin_);
    const auto newline = open.find('\n', scanned);
    if (newline != open.npos) {
      line = open.substr(0, newline);
      begin_ += newline + 1;
      break;
    }
    scanned = open.size();
    if (!refill()) {
      if (begin_ == end_) {
        return false;
      }
      line = {buffer_.data() + begin_, end_ - begin_};
      begin_ = end_;
      break;
    }
  }
  if (line.size() > longest_) {
    reject_length();
  }
  ++line_;
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return true;
}

}  // namespace mercer
