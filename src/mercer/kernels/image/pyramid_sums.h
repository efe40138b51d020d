// Sums over all pyramids of an image of so many lanes at once (one lane per pair of images).
#pragma once

#include <vector>

#include "mercer/base/index.h"

namespace mercer {

/// How many images are worked on together; the inner loops run over them.
inline constexpr Index image_lanes = 16;

/// An image of height × width pixels in a frame of zeros, `image_lanes` numbers to a pixel.
template <class T>
class FramedImage {
 public:
  FramedImage(Index height, Index width, Index frame)
      : height_(height),
        width_(width),
        frame_(frame),
        values_(static_cast<std::size_t>((height + 2 * frame) * (width + 2 * frame) * image_lanes), T(0)) {}

  Index height() const { return height_; }
  Index width() const { return width_; }
  Index frame() const { return frame_; }
  /// The lanes of the pixel (row, column), from −frame on.
  T* at(Index row, Index column) {
    return values_.data() + ((row + frame_) * (width_ + 2 * frame_) + column + frame_) * image_lanes;
  }
  const T* at(Index row, Index column) const {
    return values_.data() + ((row + frame_) * (width_ + 2 * frame_) + column + frame_) * image_lanes;
  }
  void clear() { values_.assign(values_.size(), T(0)); }

 private:
  Index height_;
  Index width_;
  Index frame_;
  std::vector<T> values_;
};

/// sums(c) = Σ_p max(q − ‖c − p‖_∞, 0) pixels(p) for the centres c that lie up to `beyond` pixels outside the image. The
/// frames are at least beyond + q − 1 wide (pixels, box) and beyond wide (sums); `box` is scratch of the shape of `pixels`.
/// O(q) additions per centre and lane.
template <class T>
void sum_pyramids(const FramedImage<T>& pixels, Index q, Index beyond, FramedImage<T>& box, FramedImage<T>& sums);

}  // namespace mercer
