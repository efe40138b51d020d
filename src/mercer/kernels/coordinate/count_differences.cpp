#include "mercer/kernels/coordinate/count_differences.h"

#include <algorithm>
#include <cstring>

#include "mercer/base/simd.h"

// Vectors of 32 bytes are passed by reference between functions that are always inlined; the warning is about calls.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mercer {

namespace {

constexpr int vector_bytes = 32;
// The vectors of a width of codes.
using ByteCodes = std::uint8_t __attribute__((vector_size(vector_bytes)));
using HalfCodes = std::uint16_t __attribute__((vector_size(vector_bytes)));
using WordCodes = std::uint32_t __attribute__((vector_size(vector_bytes)));

// A comparison gives −1 where codes are equal: starting from the number of columns, what is left are the differences.
template <class Vector, class Code>
MERCER_INLINE void add_differences_body(std::span<const Code> x, const Code* y, Index stride,
                                        std::span<std::int32_t> counts) {
  constexpr Index lanes = vector_bytes / static_cast<Index>(sizeof(Code));
  constexpr Index vectors = 4;
  constexpr Index step = vectors * lanes;
  static_assert(step <= rows_per_step);
  const auto columns = static_cast<Index>(x.size());
  const auto rows = static_cast<Index>(counts.size());
  for (Index j = 0; j < rows; j += step) {
    Vector left[vectors];
#pragma GCC unroll 4
    for (Vector& counter : left) {
      counter = Vector{} + static_cast<Code>(columns);
    }
    const Code* from = y + j;
    for (Index c = 0; c < columns; ++c, from += stride) {
      const Vector code = Vector{} + x[c];
#pragma GCC unroll 4
      for (Index v = 0; v < vectors; ++v) {
        Vector there;
        std::memcpy(&there, from + v * lanes, sizeof(there));
        left[v] += (Vector)(there == code);
      }
    }
    Code found[step];
    std::memcpy(found, left, sizeof(found));
    if (rows - j >= step) {
      for (Index lane = 0; lane < step; ++lane) {
        counts[j + lane] += static_cast<std::int32_t>(found[lane]);
      }
    } else {
      for (Index lane = 0; j + lane < rows; ++lane) {
        counts[j + lane] += static_cast<std::int32_t>(found[lane]);
      }
    }
  }
}

}  // namespace

#define MERCER_ADD_DIFFERENCES(Code, Vector)                                               \
  MERCER_CLONES void add_differences(std::span<const Code> x, const Code* y, Index stride, \
                                     std::span<std::int32_t> counts) {                     \
    add_differences_body<Vector>(x, y, stride, counts);                                    \
  }
MERCER_ADD_DIFFERENCES(std::uint8_t, ByteCodes)
MERCER_ADD_DIFFERENCES(std::uint16_t, HalfCodes)
MERCER_ADD_DIFFERENCES(std::uint32_t, WordCodes)
#undef MERCER_ADD_DIFFERENCES

}  // namespace mercer
