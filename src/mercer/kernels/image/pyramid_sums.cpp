#include "mercer/kernels/image/pyramid_sums.h"

#include <algorithm>
#include <array>

namespace mercer {

namespace {

template <class T>
void add_lanes(const T* from, T* to) {
  for (Index lane = 0; lane < image_lanes; ++lane) {
    to[lane] += from[lane];
  }
}

// box += the pixels `radius` columns to the left and to the right: the row sums of the next larger box.
template <class T>
void widen_rows(const FramedImage<T>& pixels, Index radius, Index reach, Index beyond, FramedImage<T>& box) {
  for (Index row = -reach; row < pixels.height() + reach; ++row) {
    for (Index column = -beyond; column < pixels.width() + beyond; ++column) {
      T* const to = box.at(row, column);
      add_lanes(pixels.at(row, column - radius), to);
      if (radius > 0) {
        add_lanes(pixels.at(row, column + radius), to);
      }
    }
  }
}

// sums += boxes: column by column, the rows of the box come in below and go out above.
template <class T>
void add_boxes(const FramedImage<T>& box, Index radius, Index beyond, FramedImage<T>& sums) {
  for (Index column = -beyond; column < box.width() + beyond; ++column) {
    std::array<T, image_lanes> running{};
    for (Index row = -beyond - radius; row < -beyond + radius; ++row) {
      add_lanes(box.at(row, column), running.data());
    }
    for (Index row = -beyond; row < box.height() + beyond; ++row) {
      add_lanes(box.at(row + radius, column), running.data());
      add_lanes(running.data(), sums.at(row, column));
      const T* const gone = box.at(row - radius, column);
      for (Index lane = 0; lane < image_lanes; ++lane) {
        running[lane] -= gone[lane];
      }
    }
  }
}

}  // namespace

template <class T>
void sum_pyramids(const FramedImage<T>& pixels, Index q, Index beyond, FramedImage<T>& box, FramedImage<T>& sums) {
  box.clear();
  sums.clear();
  for (Index radius = 0; radius < q; ++radius) {
    widen_rows(pixels, radius, beyond + q - 1, beyond, box);
    add_boxes(box, radius, beyond, sums);
  }
}

template void sum_pyramids<float>(const FramedImage<float>& pixels, Index q, Index beyond, FramedImage<float>& box,
                                  FramedImage<float>& sums);
template void sum_pyramids<double>(const FramedImage<double>& pixels, Index q, Index beyond, FramedImage<double>& box,
                                   FramedImage<double>& sums);

}  // namespace mercer
