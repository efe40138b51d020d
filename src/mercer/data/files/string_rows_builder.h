// StringRowsBuilder: strings that are read piece by piece into one array. The array never copies itself while it grows,
// so that a string of gigabytes costs its own size and a little more.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/data/segmented_array.h"

namespace mercer {

class StringRowsBuilder {
 public:
  void append(std::string_view piece) { bytes_.append(piece.data(), static_cast<Index>(piece.size())); }
  void end_row() { offsets_.push_back(bytes_.size()); }

  Index rows() const { return static_cast<Index>(offsets_.size()) - 1; }
  /// Bytes of the row that has not been ended.
  Index open_bytes() const { return bytes_.size() - offsets_.back(); }

  /// The rows that have been ended. The builder is empty afterwards.
  Samples finish() {
    struct Memory {
      Buffer<char> bytes;
      std::vector<std::int64_t> offsets;
    };
    const auto memory = std::make_shared<Memory>(Memory{bytes_.joined(), std::move(offsets_)});
    offsets_ = {0};
    return Samples(
        StringRows{memory->bytes.data(), memory->offsets.data(), static_cast<Index>(memory->offsets.size()) - 1},
        memory);
  }

 private:
  SegmentedArray<char> bytes_;
  std::vector<std::int64_t> offsets_{0};
};

}  // namespace mercer
