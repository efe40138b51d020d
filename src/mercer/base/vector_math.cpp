#include "mercer/base/vector_math.h"

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "mercer/base/index.h"
#include "mercer/base/simd.h"
#include "mercer/base/vector_lanes.h"

namespace mercer {

// The functions that exist once per instruction set. They are not in the unnamed namespace because their dispatchers
// are symbols of the linker.
namespace vector_math_detail {

using namespace lanes;  // NOLINT(google-build-using-namespace): one file, one subject

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names
#define MERCER_EXP_CLONES(T, Block)                                                                       \
  MERCER_CLONES void exp_clones(const T* in, T* out, Index size) { over_blocks(in, out, size, Block{}); } \
  MERCER_CLONES void exp_scaled_clones(const T* in, T scale, T* out, Index size) {                        \
    over_blocks(in, out, size, Block{scale, true});                                                       \
  }
MERCER_EXP_CLONES(double, ExpDoubles)
MERCER_EXP_CLONES(float, ExpFloats)
#undef MERCER_EXP_CLONES

#define MERCER_LANE_CLONES(name, T, Lanes)                            \
  MERCER_CLONES void name##_clones(const T* in, T* out, Index size) { \
    over_blocks(in, out, size, LanesBlock<T, Lanes>{});               \
  }
MERCER_LANE_CLONES(log, double, LogLanes)
MERCER_LANE_CLONES(log, float, LogLanes)
MERCER_LANE_CLONES(log1p, double, Log1pLanes)
MERCER_LANE_CLONES(log1p, float, Log1pLanes)
MERCER_LANE_CLONES(sin, double, WaveLanes<Wave::sine>)
MERCER_LANE_CLONES(sin, float, WaveLanes<Wave::sine>)
MERCER_LANE_CLONES(cos, double, WaveLanes<Wave::cosine>)
MERCER_LANE_CLONES(cos, float, WaveLanes<Wave::cosine>)
MERCER_LANE_CLONES(tanh, double, TanhLanes)
MERCER_LANE_CLONES(tanh, float, TanhLanes)
#undef MERCER_LANE_CLONES

#define MERCER_POW_CLONES(T)                                                             \
  MERCER_CLONES void pow_clones(const T* in, T exponent, T* out, Index size) {           \
    over_blocks(in, out, size, LanesBlock<T, PowLanes>{{exponent}});                     \
  }                                                                                      \
  MERCER_CLONES void integer_pow_clones(const T* in, int exponent, T* out, Index size) { \
    over_blocks(in, out, size, LanesBlock<T, IntegerPowLanes>{{exponent}});              \
  }
MERCER_POW_CLONES(double)
MERCER_POW_CLONES(float)
#undef MERCER_POW_CLONES
// NOLINTEND(bugprone-macro-parentheses)

MERCER_CLONES void sqrt_clones(const double* in, double* out, Index size) {
  for (Index i = 0; i < size; ++i) {
    out[i] = std::sqrt(in[i]);
  }
}
MERCER_CLONES void sqrt_clones(const float* in, float* out, Index size) {
  for (Index i = 0; i < size; ++i) {
    out[i] = std::sqrt(in[i]);
  }
}

}  // namespace vector_math_detail

namespace {

template <class T>
Index checked_size(std::span<const T> in, std::span<T> out) {
  assert(in.size() == out.size());
  return static_cast<Index>(std::min(in.size(), out.size()));
}

template <class T>
void pow_of(std::span<const T> in, T exponent, std::span<T> out) {
  const Index size = checked_size(in, out);
  if (std::abs(exponent) <= T{64} && exponent == std::trunc(exponent)) {
    vector_math_detail::integer_pow_clones(in.data(), static_cast<int>(exponent), out.data(), size);
  } else {
    vector_math_detail::pow_clones(in.data(), exponent, out.data(), size);
  }
}

}  // namespace

#define MERCER_VECTOR_FUNCTION(name)                                                 \
  void vector_##name(std::span<const double> in, std::span<double> out) {            \
    vector_math_detail::name##_clones(in.data(), out.data(), checked_size(in, out)); \
  }                                                                                  \
  void vector_##name(std::span<const float> in, std::span<float> out) {              \
    vector_math_detail::name##_clones(in.data(), out.data(), checked_size(in, out)); \
  }
MERCER_VECTOR_FUNCTION(exp)
MERCER_VECTOR_FUNCTION(log)
MERCER_VECTOR_FUNCTION(log1p)
MERCER_VECTOR_FUNCTION(sin)
MERCER_VECTOR_FUNCTION(cos)
MERCER_VECTOR_FUNCTION(tanh)
MERCER_VECTOR_FUNCTION(sqrt)
#undef MERCER_VECTOR_FUNCTION

void vector_exp_scaled(std::span<const double> in, double scale, std::span<double> out) {
  vector_math_detail::exp_scaled_clones(in.data(), scale, out.data(), checked_size(in, out));
}
void vector_exp_scaled(std::span<const float> in, float scale, std::span<float> out) {
  vector_math_detail::exp_scaled_clones(in.data(), scale, out.data(), checked_size(in, out));
}

void vector_pow(std::span<const double> in, double exponent, std::span<double> out) { pow_of(in, exponent, out); }
void vector_pow(std::span<const float> in, float exponent, std::span<float> out) { pow_of(in, exponent, out); }

}  // namespace mercer
