// The one integer type for sizes and positions: signed, 64 bits, so that differences and reverse loops are safe.
#pragma once

#include <cstdint>

namespace mercer {

using Index = std::int64_t;

/// Half-open range [begin, end).
struct IndexRange {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end - begin; }
};

/// ceil(count / block).
constexpr Index block_count(Index count, Index block) { return (count + block - 1) / block; }

/// Block b of [0, count) cut into pieces of `block`, the last one shorter.
constexpr IndexRange block_range(Index count, Index block, Index b) {
  const Index begin = b * block;
  return {begin, begin + block < count ? begin + block : count};
}

}  // namespace mercer
