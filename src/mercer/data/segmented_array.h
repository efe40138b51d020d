// SegmentedArray: an array that grows without ever copying itself, for input whose length is not known beforehand.
//
// Segments of a long array are larger than the size from which malloc maps memory on its own, so that joined() can hand
// each one back as soon as it is copied: the peak is the array and one segment, where a doubling vector needs three
// times that.
#pragma once

#include <algorithm>
#include <vector>

#include "mercer/base/buffer.h"

namespace mercer {

template <class T>
class SegmentedArray {
 public:
  Index size() const { return size_; }

  void append(const T* elements, Index count) {
    while (count > 0) {
      if (segments_.empty() || used_ == segments_.back().size()) {
        const Index next = segments_.empty() ? smallest_segment : 4 * segments_.back().size();
        segments_.emplace_back(std::min(next, largest_segment));
        used_ = 0;
      }
      const Index taken = std::min(segments_.back().size() - used_, count);
      std::copy_n(elements, taken, segments_.back().data() + used_);
      elements += taken;
      count -= taken;
      used_ += taken;
      size_ += taken;
    }
  }

  /// The elements in one piece; the array is empty afterwards.
  Buffer<T> joined() {
    Buffer<T> result(size_);
    Index done = 0;
    for (Buffer<T>& segment : segments_) {
      const Index count = std::min(segment.size(), size_ - done);
      std::copy_n(segment.data(), count, result.data() + done);
      done += count;
      segment = Buffer<T>();
    }
    segments_.clear();
    size_ = used_ = 0;
    return result;
  }

 private:
  static constexpr Index smallest_segment = (Index{64} << 10) / static_cast<Index>(sizeof(T));
  static constexpr Index largest_segment = (Index{40} << 20) / static_cast<Index>(sizeof(T));
  std::vector<Buffer<T>> segments_;
  Index used_ = 0;  // of the last segment
  Index size_ = 0;
};

}  // namespace mercer
