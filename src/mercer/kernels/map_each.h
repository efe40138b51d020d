// Loops that the profiles of kernels are made of.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "mercer/base/index.h"

namespace mercer {

/// v → f(v), in place.
template <class T, class F>
inline void map_each(std::span<T> values, F f) {
  for (T& value : values) {
    value = f(value);
  }
}

/// Calls f(block, copy) for blocks of the values; `copy` holds what the block holds at the call, so that f may write
/// over the one and still read the other.
template <class T, class F>
inline void map_blocks(std::span<T> values, F f) {
  constexpr std::size_t block_size = 256;
  std::array<T, block_size> memory;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  for (std::size_t begin = 0; begin < values.size(); begin += block_size) {
    const std::span<T> block = values.subspan(begin, std::min(block_size, values.size() - begin));
    const std::span<T> copy(memory.data(), block.size());
    std::copy(block.begin(), block.end(), copy.begin());
    f(block, copy);
  }
}

}  // namespace mercer
