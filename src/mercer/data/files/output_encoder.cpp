#include "mercer/data/files/output_encoder.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::size_t encoded_piece = std::size_t{64} << 10;
constexpr std::size_t largest_input = std::size_t{1} << 30;  // the libraries count in 32 bits

// What the three libraries have in common: input is taken in steps, output comes in pieces.
template <class Stream>
class StreamEncoder : public OutputEncoder {
 public:
  void encode(std::string_view bytes, std::string& encoded) override {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, largest_input);
      stream_.give(part);
      while (stream_.has_input()) {
        step(Stream::Step::run, encoded);
      }
      bytes.remove_prefix(part.size());
    }
  }

  void finish(std::string& encoded) override {
    while (step(Stream::Step::finish, encoded) != Stream::Progress::ended) {
    }
  }

 private:
  typename Stream::Progress step(typename Stream::Step kind, std::string& encoded) {
    const std::size_t before = encoded.size();
    encoded.resize(before + encoded_piece);
    std::size_t room = encoded_piece;
    const auto progress = stream_.advance(kind, encoded.data() + before, room);
    encoded.resize(encoded.size() - room);
    return progress;
  }

  Stream stream_;
};

struct StreamWords {
  enum class Step { run, finish };
  enum class Progress { goes_on, ended };
};

class GzipOutput : public StreamWords {
 public:
  GzipOutput() {
    constexpr int gzip_window = 15 + 16;
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipOutput() { deflateEnd(&state_); }
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;
  GzipOutput(GzipOutput&&) = delete;
  GzipOutput& operator=(GzipOutput&&) = delete;

  void give(std::string_view bytes) {
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    state_.avail_in = static_cast<uInt>(bytes.size());
  }
  bool has_input() const { return state_.avail_in > 0; }
  Progress advance(Step step, char* out, std::size_t& room) {
    state_.next_out = reinterpret_cast<Bytef*>(out);
    state_.avail_out = static_cast<uInt>(room);
    const int code = deflate(&state_, step == Step::finish ? Z_FINISH : Z_NO_FLUSH);
    room = state_.avail_out;
    return code == Z_STREAM_END ? Progress::ended : Progress::goes_on;
  }

 private:
  z_stream state_{};
};

class Bzip2Output : public StreamWords {
 public:
  Bzip2Output() {
    constexpr int largest_blocks = 9;
    if (BZ2_bzCompressInit(&state_, largest_blocks, 0, 0) != BZ_OK) {
      throw std::bad_alloc();
    }
  }
  ~Bzip2Output() { BZ2_bzCompressEnd(&state_); }
  Bzip2Output(const Bzip2Output&) = delete;
  Bzip2Output& operator=(const Bzip2Output&) = delete;
  Bzip2Output(Bzip2Output&&) = delete;
  Bzip2Output& operator=(Bzip2Output&&) = delete;

  void give(std::string_view bytes) {
    state_.next_in = const_cast<char*>(bytes.data());
    state_.avail_in = static_cast<unsigned>(bytes.size());
  }
  bool has_input() const { return state_.avail_in > 0; }
  Progress advance(Step step, char* out, std::size_t& room) {
    state_.next_out = out;
    state_.avail_out = static_cast<unsigned>(room);
    const int code = BZ2_bzCompress(&state_, step == Step::finish ? BZ_FINISH : BZ_RUN);
    room = state_.avail_out;
    return code == BZ_STREAM_END ? Progress::ended : Progress::goes_on;
  }

 private:
  bz_stream state_{};
};

class XzOutput : public StreamWords {
 public:
  XzOutput() {
    if (lzma_easy_encoder(&state_, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~XzOutput() { lzma_end(&state_); }
  XzOutput(const XzOutput&) = delete;
  XzOutput& operator=(const XzOutput&) = delete;
  XzOutput(XzOutput&&) = delete;
  XzOutput& operator=(XzOutput&&) = delete;

  void give(std::string_view bytes) {
    state_.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    state_.avail_in = bytes.size();
  }
  bool has_input() const { return state_.avail_in > 0; }
  Progress advance(Step step, char* out, std::size_t& room) {
    state_.next_out = reinterpret_cast<std::uint8_t*>(out);
    state_.avail_out = room;
    const lzma_ret code = lzma_code(&state_, step == Step::finish ? LZMA_FINISH : LZMA_RUN);
    if (code == LZMA_MEM_ERROR) {
      throw std::bad_alloc();
    }
    room = state_.avail_out;
    return code == LZMA_STREAM_END ? Progress::ended : Progress::goes_on;
  }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
};

struct CompressionEnding {
  std::string_view ending;
  Compression compression;
};
constexpr std::array compression_endings = {CompressionEnding{".gz", Compression::gzip},
                                            CompressionEnding{".bz2", Compression::bzip2},
                                            CompressionEnding{".xz", Compression::xz}};

}  // namespace

Compression compression_of(std::string_view path) {
  const std::string lower = lower_case(path);
  for (const CompressionEnding& known : compression_endings) {
    if (lower.ends_with(known.ending)) {
      return known.compression;
    }
  }
  return Compression::none;
}

std::string_view without_compression(std::string_view path) {
  const std::string lower = lower_case(path);
  for (const CompressionEnding& known : compression_endings) {
    if (lower.ends_with(known.ending)) {
      return path.substr(0, path.size() - known.ending.size());
    }
  }
  return path;
}

std::unique_ptr<OutputEncoder> make_output_encoder(Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return std::make_unique<StreamEncoder<GzipOutput>>();
    case Compression::bzip2:
      return std::make_unique<StreamEncoder<Bzip2Output>>();
    case Compression::xz:
      return std::make_unique<StreamEncoder<XzOutput>>();
    case Compression::none:
      break;
  }
  return nullptr;
}

}  // namespace mercer
