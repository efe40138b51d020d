// One row against a dense vector of doubles: dot product, addition of a multiple, squared norm, prefetch. The loops
// under the coordinate descent; to be inlined into MERCER_CLONES functions.
//
// Sums run in a fixed order of lanes that depends on the row alone, so results do not depend on threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "mercer/base/index.h"
#include "mercer/base/simd.h"
#include "mercer/data/samples.h"

// Vectors of 32 bytes are passed between functions that are always inlined; the warning is about calls.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mercer::linear {

using Doubles = double __attribute__((vector_size(32)));
using HalfFloats = float __attribute__((vector_size(16)));
constexpr Index lane_count = 4;

MERCER_INLINE void load(const double* from, Doubles& to) { std::memcpy(&to, from, sizeof(to)); }
MERCER_INLINE void load(const float* from, Doubles& to) {
  HalfFloats narrow;
  std::memcpy(&narrow, from, sizeof(narrow));
  to = __builtin_convertvector(narrow, Doubles);
}
MERCER_INLINE double lane_sum(const Doubles& v) { return (v[0] + v[2]) + (v[1] + v[3]); }

template <class T>
MERCER_INLINE double dense_dot(const T* x, const double* w, Index count) {
  Doubles sums[4] = {};
  Index j = 0;
  for (; j + 4 * lane_count <= count; j += 4 * lane_count) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      Doubles a;
      Doubles b;
      load(x + j + v * lane_count, a);
      load(w + j + v * lane_count, b);
      sums[v] += a * b;
    }
  }
  for (; j + lane_count <= count; j += lane_count) {
    Doubles a;
    Doubles b;
    load(x + j, a);
    load(w + j, b);
    sums[0] += a * b;
  }
  double sum = lane_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; j < count; ++j) {
    sum += static_cast<double>(x[j]) * w[j];
  }
  return sum;
}

template <class T>
MERCER_INLINE void dense_add(const T* x, double scale, double* w, Index count) {
  Index j = 0;
  for (; j + lane_count <= count; j += lane_count) {
    Doubles a;
    Doubles b;
    load(x + j, a);
    load(w + j, b);
    b += scale * a;
    std::memcpy(w + j, &b, sizeof(b));
  }
  for (; j < count; ++j) {
    w[j] += scale * static_cast<double>(x[j]);
  }
}

template <class T>
MERCER_INLINE double squared_norm(const T* x, Index count) {
  Doubles sums[2] = {};
  Index j = 0;
  for (; j + 2 * lane_count <= count; j += 2 * lane_count) {
    Doubles a;
    Doubles b;
    load(x + j, a);
    load(x + j + lane_count, b);
    sums[0] += a * a;
    sums[1] += b * b;
  }
  double sum = lane_sum(sums[0] + sums[1]);
  for (; j < count; ++j) {
    sum += static_cast<double>(x[j]) * static_cast<double>(x[j]);
  }
  return sum;
}

constexpr Index cache_line = 64;

// Cache lines to ask for ahead of a row of so many bytes; beyond 16 the hardware follows by itself.
inline Index lines_of(Index bytes) { return std::min<Index>(16, block_count(bytes, cache_line) + 1); }

// The same number of lines for every row: a loop of foreseeable length costs less than lines in vain.
MERCER_INLINE void prefetch_lines(const void* from, Index lines) {
  const char* const start = static_cast<const char*>(from);
  for (Index line = 0; line < lines; ++line) {
    __builtin_prefetch(start + line * cache_line);
  }
}

template <class T>
struct DenseAccess {
  explicit DenseAccess(const DenseRows<T>& from)
      : data(from.data),
        rows(from.rows),
        columns(from.columns),
        stride(from.row_stride),
        lines(lines_of(columns * static_cast<Index>(sizeof(T)))) {}

  const T* data;
  Index rows;
  Index columns;
  Index stride;
  Index lines;

  Index nonzeros() const { return rows * columns; }
  MERCER_INLINE double dot(Index i, const double* w) const { return dense_dot(data + i * stride, w, columns); }
  MERCER_INLINE void add(Index i, double scale, double* w) const { dense_add(data + i * stride, scale, w, columns); }
  MERCER_INLINE double norm(Index i) const { return squared_norm(data + i * stride, columns); }
  MERCER_INLINE void prefetch_place(Index) const {}
  MERCER_INLINE void prefetch(Index i) const { prefetch_lines(data + i * stride, lines); }
};

template <class T>
struct SparseAccess {
  explicit SparseAccess(const SparseRows<T>& from)
      : values(from.values),
        column_numbers(from.column_numbers),
        offsets(from.offsets),
        rows(from.rows),
        columns(from.columns) {
    const Index mean = block_count(nonzeros(), std::max<Index>(1, rows));
    value_lines = lines_of(mean * static_cast<Index>(sizeof(T)));
    column_lines = lines_of(mean * static_cast<Index>(sizeof(std::int32_t)));
  }

  const T* values;
  const std::int32_t* column_numbers;
  const std::int64_t* offsets;
  Index rows;
  Index columns;
  Index value_lines;
  Index column_lines;

  Index nonzeros() const { return offsets[rows] - offsets[0]; }

  // Column numbers ascend: a row whose last number is that far from its first has no gaps and is dense.
  MERCER_INLINE bool without_gaps(Index begin, Index count) const {
    return count > 0 && column_numbers[begin + count - 1] - column_numbers[begin] == count - 1;
  }

  MERCER_INLINE double dot(Index i, const double* w) const {
    const Index begin = offsets[i];
    const Index count = offsets[i + 1] - begin;
    const T* const x = values + begin;
    if (without_gaps(begin, count)) {
      return dense_dot(x, w + column_numbers[begin], count);
    }
    const std::int32_t* const at = column_numbers + begin;
    double sums[4] = {};
    Index j = 0;
    for (; j + 4 <= count; j += 4) {
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        sums[v] += static_cast<double>(x[j + v]) * w[at[j + v]];
      }
    }
    for (; j < count; ++j) {
      sums[0] += static_cast<double>(x[j]) * w[at[j]];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  MERCER_INLINE void add(Index i, double scale, double* w) const {
    const Index begin = offsets[i];
    const Index count = offsets[i + 1] - begin;
    const T* const x = values + begin;
    if (without_gaps(begin, count)) {
      dense_add(x, scale, w + column_numbers[begin], count);
      return;
    }
    const std::int32_t* const at = column_numbers + begin;
    Index j = 0;
    for (; j + 4 <= count; j += 4) {
      // Four loads before the stores: the columns differ, which the compiler cannot know.
      const double a = w[at[j]] + scale * static_cast<double>(x[j]);
      const double b = w[at[j + 1]] + scale * static_cast<double>(x[j + 1]);
      const double c = w[at[j + 2]] + scale * static_cast<double>(x[j + 2]);
      const double d = w[at[j + 3]] + scale * static_cast<double>(x[j + 3]);
      w[at[j]] = a;
      w[at[j + 1]] = b;
      w[at[j + 2]] = c;
      w[at[j + 3]] = d;
    }
    for (; j < count; ++j) {
      w[at[j]] += scale * static_cast<double>(x[j]);
    }
  }

  MERCER_INLINE double norm(Index i) const { return squared_norm(values + offsets[i], offsets[i + 1] - offsets[i]); }
  MERCER_INLINE void prefetch_place(Index i) const { __builtin_prefetch(offsets + i); }
  MERCER_INLINE void prefetch(Index i) const {
    const Index begin = offsets[i];
    prefetch_lines(values + begin, value_lines);
    prefetch_lines(column_numbers + begin, column_lines);
  }
};

}  // namespace mercer::linear
