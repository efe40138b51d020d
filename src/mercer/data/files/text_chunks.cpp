#include "mercer/data/files/text_chunks.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mercer/base/error.h"

namespace mercer {

TextChunks::TextChunks(const std::string& path, Index size, Index chunk_bytes)
    : name_(path), size_(size), chunk_bytes_(chunk_bytes) {
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw IoError(path + ": cannot be opened: " + std::strerror(errno));
  }
}

TextChunks::TextChunks(std::string name, std::string_view text, Index chunk_bytes)
    : name_(std::move(name)), text_(text), size_(static_cast<Index>(text.size())), chunk_bytes_(chunk_bytes) {}

TextChunks::~TextChunks() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

Index TextChunks::read_at(Index offset, char* out, Index count) const {
  if (descriptor_ < 0) {
    std::copy_n(text_.data() + offset, count, out);
    return count;
  }
  Index done = 0;
  while (done < count) {
    const ssize_t got = pread(descriptor_, out + done, static_cast<std::size_t>(count - done), offset + done);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw IoError(name_ + ": cannot be read: " + std::strerror(errno));
    }
    if (got == 0) {
      throw IoError(name_ + ": became shorter while it was read");
    }
    done += got;
  }
  return done;
}

std::string_view TextChunks::load(Index chunk, std::vector<char>& scratch) const {
  const IndexRange range = block_range(size_, chunk_bytes_, chunk);
  // One byte more in front shows whether a line starts right at the beginning.
  const Index start = std::max<Index>(range.begin - 1, 0);
  Index length = range.end - start;
  const auto reserve = [&](Index bytes) {
    if (static_cast<Index>(scratch.size()) < bytes) {
      scratch.resize(bytes);
    }
  };
  reserve(length + 1);
  read_at(start, scratch.data(), length);
  Index first = 0;
  if (range.begin > 0) {
    const auto* newline =
        static_cast<const char*>(std::memchr(scratch.data(), '\n', static_cast<std::size_t>(length - 1)));
    if (newline == nullptr) {
      return {};
    }
    first = newline - scratch.data() + 1;
  }
  // The last line may go on in the pieces that follow.
  Index step = Index{64} << 10;
  while (scratch[length - 1] != '\n' && start + length < size_) {
    const Index more = std::min(step, size_ - start - length);
    reserve(length + more + 1);
    read_at(start + length, scratch.data() + length, more);
    const auto* newline =
        static_cast<const char*>(std::memchr(scratch.data() + length, '\n', static_cast<std::size_t>(more)));
    length = newline != nullptr ? newline - scratch.data() + 1 : length + more;
    step *= 2;
    if (length > longest_line) {
      throw DataError({name_}, "a line is longer than 1 GiB; this does not look like a text file");
    }
  }
  if (scratch[length - 1] != '\n') {
    scratch[length++] = '\n';
  }
  return {scratch.data() + first, static_cast<std::size_t>(length - first)};
}

}  // namespace mercer
