// Compression of outputs by their names: NAME.gz is gzip, NAME.bz2 bzip2, NAME.xz xz, any other name plain. What is
// written so is read back by InputStream. The same bytes give the same compressed bytes: no time and no name is stored.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mercer {

enum class Compression { none, gzip, bzip2, xz };

/// What the name says.
Compression compression_of(std::string_view path);
/// "K.npy.gz" gives "K.npy", whose ending tells the format.
std::string_view without_compression(std::string_view path);

class OutputEncoder {
 public:
  OutputEncoder() = default;
  virtual ~OutputEncoder() = default;
  OutputEncoder(const OutputEncoder&) = delete;
  OutputEncoder& operator=(const OutputEncoder&) = delete;
  OutputEncoder(OutputEncoder&&) = delete;
  OutputEncoder& operator=(OutputEncoder&&) = delete;

  /// Appends what is known of the compressed bytes; all of it once `finish` was called.
  virtual void encode(std::string_view bytes, std::string& encoded) = 0;
  virtual void finish(std::string& encoded) = 0;
};

/// Null for none.
std::unique_ptr<OutputEncoder> make_output_encoder(Compression compression);

}  // namespace mercer
