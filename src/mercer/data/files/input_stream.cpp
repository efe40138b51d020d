#include "mercer/data/files/input_stream.h"

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/data/files/file_descriptor.h"

namespace mercer {

// Raw bytes, through a buffer whose unread part the decoders look at directly.
class InputStream::Source {
 public:
  Source(std::string name, int descriptor)
      : name_(std::move(name)), descriptor_(descriptor), buffer_(std::size_t{256} << 10) {}
  Source(std::string name, std::string_view memory) : name_(std::move(name)), memory_(memory), unread_(memory) {}
  ~Source() {
    if (descriptor_ > 0) {
      close(descriptor_);
    }
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  Source(Source&&) = delete;
  Source& operator=(Source&&) = delete;

  const std::string& name() const { return name_; }
  std::string_view unread() const { return unread_; }
  void consume(std::size_t count) { unread_.remove_prefix(count); }

  /// Reads more behind what is unread; false at the end.
  bool fill() {
    if (descriptor_ < 0) {
      return false;
    }
    std::copy(unread_.begin(), unread_.end(), buffer_.begin());  // to the front, so forward copying is safe
    const std::size_t kept = unread_.size();
    const ssize_t count = read_some(buffer_.data() + kept, buffer_.size() - kept);
    unread_ = {buffer_.data(), kept + static_cast<std::size_t>(count)};
    return count > 0;
  }

  /// Past the buffer, for plain input.
  std::size_t read_through(char* out, std::size_t count) {
    if (!unread_.empty() || descriptor_ < 0) {
      const std::size_t taken = std::min(count, unread_.size());
      std::copy_n(unread_.begin(), taken, out);
      consume(taken);
      return taken;
    }
    return static_cast<std::size_t>(read_some(out, count));
  }

 private:
  ssize_t read_some(char* out, std::size_t count) {
    while (true) {
      const ssize_t got = ::read(descriptor_, out, std::min(count, std::size_t{1} << 30));
      if (got >= 0) {
        return got;
      }
      if (errno != EINTR) {
        throw IoError(name_ + ": cannot be read: " + std::strerror(errno));
      }
    }
  }

  std::string name_;
  int descriptor_ = -1;
  std::string_view memory_;
  std::vector<char> buffer_;
  std::string_view unread_;
};

class InputStream::Decoder {
 public:
  explicit Decoder(Source& source) : source_(source) {}
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  Decoder(Decoder&&) = delete;
  Decoder& operator=(Decoder&&) = delete;

  /// Some bytes, at least one, or 0 at the end.
  virtual std::size_t read(char* out, std::size_t count) = 0;

 protected:
  [[noreturn]] void reject(std::string_view format, std::string_view what) const {
    throw DataError({source_.name()}, "the " + std::string(format) + " stream " + std::string(what) +
                                          "; the file is incomplete or damaged, fetch it again");
  }
  /// Unread bytes for a decoder that needs input; empty at the end of the source.
  std::string_view input() {
    if (source_.unread().empty()) {
      source_.fill();
    }
    return source_.unread();
  }
  Source& source() { return source_; }

 private:
  Source& source_;
};

class InputStream::PlainDecoder final : public Decoder {
 public:
  using Decoder::Decoder;
  std::size_t read(char* out, std::size_t count) override { return source().read_through(out, count); }
};

namespace {
constexpr std::size_t largest_step = std::size_t{1} << 30;  // the libraries count with 32 bits
unsigned step(std::size_t count) { return static_cast<unsigned>(std::min(count, largest_step)); }
}  // namespace

class InputStream::GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(Source& source) : Decoder(source) {
    if (inflateInit2(&state_, 15 + 16) != Z_OK) {
      throw NumericalError("out of memory: zlib could not start");
    }
  }
  ~GzipDecoder() override { inflateEnd(&state_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  GzipDecoder(GzipDecoder&&) = delete;
  GzipDecoder& operator=(GzipDecoder&&) = delete;

  std::size_t read(char* out, std::size_t count) override {
    const unsigned wanted = step(count);
    state_.next_out = reinterpret_cast<Bytef*>(out);
    state_.avail_out = wanted;
    while (state_.avail_out == wanted) {
      const std::string_view bytes = input();
      if (bytes.empty()) {
        if (between_members_) {
          return 0;
        }
        reject("gzip", "ends too early");
      }
      if (between_members_ && bytes.front() == '\0') {
        // Zeros that fill the last block of a tape or a disk are no member.
        source().consume(std::min(bytes.size(), bytes.find_first_not_of('\0')));
        continue;
      }
      if (between_members_) {
        inflateReset(&state_);
        between_members_ = false;
      }
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      state_.avail_in = step(bytes.size());
      const unsigned given = state_.avail_in;
      const int code = inflate(&state_, Z_NO_FLUSH);
      source().consume(given - state_.avail_in);
      if (code == Z_STREAM_END) {
        between_members_ = true;
      } else if (code == Z_MEM_ERROR) {
        throw NumericalError("out of memory: zlib could not go on");
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        reject("gzip", "is not valid");
      }
    }
    return wanted - state_.avail_out;
  }

 private:
  z_stream state_{};
  bool between_members_ = false;
};

class InputStream::Bzip2Decoder final : public Decoder {
 public:
  explicit Bzip2Decoder(Source& source) : Decoder(source) { start(); }
  ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&state_); }
  Bzip2Decoder(const Bzip2Decoder&) = delete;
  Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;
  Bzip2Decoder(Bzip2Decoder&&) = delete;
  Bzip2Decoder& operator=(Bzip2Decoder&&) = delete;

  std::size_t read(char* out, std::size_t count) override {
    const unsigned wanted = step(count);
    state_.next_out = out;
    state_.avail_out = wanted;
    while (state_.avail_out == wanted) {
      const std::string_view bytes = input();
      if (bytes.empty()) {
        if (between_streams_) {
          return 0;
        }
        reject("bzip2", "ends too early");
      }
      if (between_streams_) {
        BZ2_bzDecompressEnd(&state_);
        start();
        state_.next_out = out;
        state_.avail_out = wanted;
        between_streams_ = false;
      }
      state_.next_in = const_cast<char*>(bytes.data());
      state_.avail_in = step(bytes.size());
      const unsigned given = state_.avail_in;
      const int code = BZ2_bzDecompress(&state_);
      source().consume(given - state_.avail_in);
      if (code == BZ_STREAM_END) {
        between_streams_ = true;
      } else if (code == BZ_MEM_ERROR) {
        throw NumericalError("out of memory: bzip2 could not go on");
      } else if (code != BZ_OK) {
        reject("bzip2", "is not valid");
      }
    }
    return wanted - state_.avail_out;
  }

 private:
  void start() {
    state_ = {};
    if (BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) {
      throw NumericalError("out of memory: bzip2 could not start");
    }
  }

  bz_stream state_{};
  bool between_streams_ = false;
};

class InputStream::XzDecoder final : public Decoder {
 public:
  explicit XzDecoder(Source& source) : Decoder(source) {
    // A hostile header may ask for a dictionary of gigabytes; xz -9 needs 65 MiB.
    constexpr std::uint64_t memory_limit = std::uint64_t{512} << 20;
    if (lzma_stream_decoder(&state_, memory_limit, LZMA_CONCATENATED) != LZMA_OK) {
      throw NumericalError("out of memory: lzma could not start");
    }
  }
  ~XzDecoder() override { lzma_end(&state_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  XzDecoder(XzDecoder&&) = delete;
  XzDecoder& operator=(XzDecoder&&) = delete;

  std::size_t read(char* out, std::size_t count) override {
    const std::size_t wanted = step(count);
    state_.next_out = reinterpret_cast<std::uint8_t*>(out);
    state_.avail_out = wanted;
    while (state_.avail_out == wanted && !ended_) {
      const std::string_view bytes = input();
      state_.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
      state_.avail_in = bytes.size();
      const lzma_ret code = lzma_code(&state_, bytes.empty() ? LZMA_FINISH : LZMA_RUN);
      source().consume(bytes.size() - state_.avail_in);
      if (code == LZMA_STREAM_END) {
        ended_ = true;
      } else if (code == LZMA_MEM_ERROR || code == LZMA_MEMLIMIT_ERROR) {
        reject("xz", "asks for more than 512 MiB of memory to be decompressed");
      } else if (code == LZMA_BUF_ERROR && bytes.empty()) {
        reject("xz", "ends too early");
      } else if (code != LZMA_OK && code != LZMA_BUF_ERROR) {
        reject("xz", "is not valid");
      }
    }
    return wanted - state_.avail_out;
  }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

InputStream::InputStream(const std::string& path) : name_(path == "-" ? "stdin" : path) {
  const int descriptor = path == "-" ? STDIN_FILENO : open_descriptor(path, O_RDONLY);
  if (descriptor < 0) {
    throw IoError(name_ + ": cannot be opened: " + std::strerror(errno));
  }
  source_ = std::make_unique<Source>(name_, descriptor);
  struct stat status{};
  if (fstat(descriptor, &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      throw IoError(name_ + ": is a folder, not a file");
    }
    if (S_ISREG(status.st_mode) && path != "-") {
      plain_size_ = status.st_size;
    }
  }
  choose_decoder();
}

InputStream::InputStream(std::string name, std::string_view bytes)
    : name_(std::move(name)), source_(std::make_unique<Source>(name_, bytes)) {
  choose_decoder();
}

InputStream::~InputStream() = default;

void InputStream::choose_decoder() {
  using namespace std::string_view_literals;
  while (source_->unread().size() < 6 && source_->fill()) {
  }
  const std::string_view head = source_->unread();
  if (head.starts_with("\x1f\x8b"sv)) {
    decoder_ = std::make_unique<GzipDecoder>(*source_);
  } else if (head.starts_with("BZh"sv)) {
    decoder_ = std::make_unique<Bzip2Decoder>(*source_);
  } else if (head.starts_with("\xfd\x37zXZ\0"sv)) {
    decoder_ = std::make_unique<XzDecoder>(*source_);
  } else {
    decoder_ = std::make_unique<PlainDecoder>(*source_);
    return;
  }
  plain_size_ = -1;
}

std::size_t InputStream::decode(char* out, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const std::size_t got = decoder_->read(out + done, count - done);
    if (got == 0) {
      break;
    }
    done += got;
  }
  return done;
}

std::string_view InputStream::peek(std::size_t count) {
  const std::size_t present = ahead_.size() - ahead_begin_;
  if (present < count) {
    ahead_.erase(0, ahead_begin_);
    ahead_begin_ = 0;
    ahead_.resize(count);
    ahead_.resize(present + decode(ahead_.data() + present, count - present));
  }
  return std::string_view(ahead_).substr(ahead_begin_, count);
}

std::size_t InputStream::read(char* out, std::size_t count) {
  const std::size_t present = std::min(count, ahead_.size() - ahead_begin_);
  std::copy_n(ahead_.data() + ahead_begin_, present, out);
  ahead_begin_ += present;
  return present + decode(out + present, count - present);
}

void InputStream::read_exactly(char* out, std::size_t count, std::string_view what) {
  const std::size_t got = read(out, count);
  if (got < count) {
    throw DataError({name_}, "the file ends within " + std::string(what) + ": " + std::to_string(count) +
                                 " bytes were expected, " + std::to_string(got) + " found; it is incomplete");
  }
}

}  // namespace mercer
