// The lanes under vector_math: exp, log, sin, tanh and powers of a vector register, branch-free, and the walk over an
// array in blocks of lanes. Included by vector_math.cpp alone, which compiles it once per instruction set.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "mercer/base/index.h"
#include "mercer/base/simd.h"

// Vectors of 32 bytes are passed by reference between functions that are always inlined; the warning is about calls.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mercer::lanes {

// Arrays of lanes in the compiler's vector extension: comparisons give masks of all ones, selections are bit
// operations, so nothing here branches on a value and every lane is computed alike.
constexpr int vector_bytes = 32;
using Doubles = double __attribute__((vector_size(vector_bytes)));
using Bits64 = std::uint64_t __attribute__((vector_size(vector_bytes)));
using Floats = float __attribute__((vector_size(vector_bytes)));
using Bits32 = std::uint32_t __attribute__((vector_size(vector_bytes)));
using HalfFloats = float __attribute__((vector_size(vector_bytes / 2)));

template <class V, class T>
MERCER_INLINE void load(const T* from, V& to) {
  std::memcpy(&to, from, sizeof(V));
}
template <class V, class T>
MERCER_INLINE void store(const V& from, T* to) {
  std::memcpy(to, &from, sizeof(V));
}

// The lanes of `y` where `mask` is set become those of `value`.
template <class Mask>
MERCER_INLINE void replace(Doubles& y, const Mask& mask, const Doubles& value) {
  y = (Doubles)(((Bits64)y & ~(Bits64)mask) | ((Bits64)value & (Bits64)mask));
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double log2_e = 1.442695040888963407;
// ln 2 in two parts: n * ln2_high is exact for |n| < 2^11 even without fused multiply-add.
constexpr double ln2_high = 0x1.62e42fefa38p-1;
constexpr double ln2_low = 0x1.ef35793c7673p-45;
// x + round_magic holds round(x) in its low bits.
constexpr double round_magic = 0x1.8p52;

// x = n ln2 + r; the low bits of `shifted` hold n.
MERCER_INLINE void reduce_exp(const Doubles& x, Doubles& shifted, Doubles& r) {
  shifted = x * log2_e + round_magic;
  const Doubles n = shifted - round_magic;
  r = x - n * ln2_high;
  r = r - n * ln2_low;
}

// (e^r - 1 - r) / r^2 by a minimax polynomial of degree 8: e^r then has relative error 2.9e-16.
MERCER_INLINE void exp_tail(const Doubles& r, const Doubles& r2, Doubles& q) {
  q = r2 * 2.7476707974770081819e-7 + (r * 2.7635068127336627607e-6 + 0.000024801932426465344524);
  q = q * r2 + (r * 0.00019841185067927027753 + 0.0013888888515096191662);
  q = q * r2 + (r * 0.0083333333709819147935 + 0.041666666668142381551);
  q = q * r2 + (r * 0.1666666666661133666 + 0.499999999999983159);
}

// The same of degree 9, error 7.8e-18, where e^r - 1 itself must be accurate.
MERCER_INLINE void expm1_tail(const Doubles& r, const Doubles& r2, Doubles& q) {
  q = r * 2.511009630403348889e-8 + 2.7632716110097872761e-7;
  q = q * r2 + (r * 2.7557242213510690926e-6 + 0.00002480148716583870928);
  q = q * r2 + (r * 0.00019841269886699926183 + 0.0013888888947962542784);
  q = q * r2 + (r * 0.0083333333333221716312 + 0.041666666666521526949);
  q = q * r2 + (r * 0.16666666666666674561 + 0.50000000000000102655);
}

// e^x while the result is normal; `unusual` gets high bits where the exponent is outside [-1020, 3].
MERCER_INLINE void exp_usual(const Doubles& x, Doubles& y, Bits64& unusual) {
  Doubles shifted;
  Doubles r;
  Doubles q;
  reduce_exp(x, shifted, r);
  const Doubles r2 = r * r;
  exp_tail(r, r2, q);
  const Doubles p = q * r2 + (1.0 + r);
  const Bits64 n = (Bits64)shifted;
  // The bit patterns of the usual range are 1024 neighbours: an offset maps them, and nothing else, to [0, 1024).
  unusual |= n + (1020 - 0x4338000000000000U);
  y = (Doubles)((Bits64)p + (n << 52));
}

MERCER_INLINE void exp_limits(const Doubles& x, Doubles& y) {
  replace(y, x < -708.396, Doubles{});
  replace(y, ~(Bits64)(x <= 0x1.62e42fefa39efp+9), x + infinity);
}

MERCER_INLINE void exp_usual(const Floats& x, Floats& y, Bits32& unusual) {
  constexpr float magic = 0x1.8p23F;
  const Floats shifted = x * 1.44269504F + magic;
  const Floats n = shifted - magic;
  Floats r = x - n * 0x1.62e4p-1F;
  r = r - n * 0x1.7f7d1cp-20F;
  const Floats r2 = r * r;
  Floats q = r2 * 0.0013814539132134080969F + (r * 0.0083687449726055250064F + 0.041668390794612972268F);
  q = q * r2 + (r * 0.16666520400900510337F + 0.49999993432172564798F);
  const Floats p = q * r2 + (1.0F + r);
  const Bits32 bits = (Bits32)shifted;
  unusual |= bits + (124 - 0x4B400000U);  // exponents in [-124, 3] map to [0, 128)
  y = (Floats)((Bits32)p + (bits << 23));
}

MERCER_INLINE void exp_limits(const Floats& x, Floats& y) {
  const Bits32 low = (Bits32)(x < -87.336F);
  const Bits32 high = ~(Bits32)(x <= 0x1.62e42ep+6F);
  const Floats large = x + std::numeric_limits<float>::infinity();
  y = (Floats)(((Bits32)y & ~(low | high)) | ((Bits32)large & high));
}

template <class V>
MERCER_INLINE bool any_lane(const V& bits) {
  Bits64 words;
  std::memcpy(&words, &bits, sizeof(words));
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

// A block is four vectors: enough independent work to hide latencies, few enough to stay in registers, and the
// limits of the range are tested once per block.
constexpr int vectors = 4;

// e^(scale x); Lanes and Bits are the vector types of T, `usual` the number of usual exponents.
template <class T, class Lanes, class Bits, unsigned usual>
struct ExpBlock {
  static constexpr int width = vectors * vector_bytes / static_cast<int>(sizeof(T));
  T scale = 1;
  bool scaled = false;

  MERCER_INLINE void operator()(const T* in, T* out) const {
    constexpr int lanes = width / vectors;
    Lanes x[vectors];
    Lanes y[vectors];
    Bits unusual = {};
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      load(in + v * lanes, x[v]);
      x[v] = scaled ? x[v] * scale : x[v];
      exp_usual(x[v], y[v], unusual);
    }
    if (any_lane(unusual & ~(Bits{} + (usual - 1)))) [[unlikely]] {
      for (int v = 0; v < vectors; ++v) {
        exp_limits(x[v], y[v]);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      store(y[v], out + v * lanes);
    }
  }
};
using ExpDoubles = ExpBlock<double, Doubles, Bits64, 1024>;
using ExpFloats = ExpBlock<float, Floats, Bits32, 128>;

// log x for normal positive x, with limits for the rest.
MERCER_INLINE void log_lanes(const Doubles& x, Doubles& y) {
  Doubles scaled = x;
  Doubles shift{};
  const auto tiny = x < std::numeric_limits<double>::min();
  replace(scaled, tiny, x * 0x1p54);
  replace(shift, tiny, Doubles{} + 54.0);
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)).
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcdU;
  const Bits64 bits = (Bits64)scaled;
  const Bits64 exponent = (bits - root_half + (std::uint64_t{1024} << 52)) >> 52;
  const Doubles m = (Doubles)(bits - ((exponent - 1024) << 52));
  const Doubles k = (Doubles)(exponent | 0x4330000000000000U) - (0x1p52 + 1024.0) - shift;
  const Doubles f = m - 1.0;
  const Doubles s = f / (2.0 + f);
  const Doubles z = s * s;
  Doubles r = z * 0.14797507861160708113 + 0.15313903228767830166;
  r = r * z + 0.18183569740871634752;
  r = r * z + 0.22222198475949964788;
  r = r * z + 0.2857142874326333059;
  r = r * z + 0.39999999999411087098;
  r = r * z + 0.66666666666667348969;
  const Doubles half_square = 0.5 * f * f;
  y = k * ln2_high - ((half_square - (s * (half_square + z * r) + k * ln2_low)) - f);
  replace(y, ~(Bits64)(x < infinity), x);  // inf and NaN
  replace(y, x == 0.0, Doubles{} - infinity);
  replace(y, x < 0.0, Doubles{} + not_a_number);
}

MERCER_INLINE void exp_lanes(const Doubles& x, Doubles& y) {
  Bits64 unused{};
  exp_usual(x, y, unused);
  exp_limits(x, y);
}

struct LogLanes {
  MERCER_INLINE void operator()(const Doubles& x, Doubles& y) const { log_lanes(x, y); }
};

struct Log1pLanes {
  MERCER_INLINE void operator()(const Doubles& x, Doubles& y) const {
    const Doubles u = 1.0 + x;
    Doubles lost = (x - (u - 1.0)) / u;  // what the rounding of 1 + x lost, to first order
    replace(lost, ~(Bits64)((u > 0.0) & (u < infinity)), Doubles{});
    log_lanes(u, y);
    y = y + lost;
    replace(y, x == 0.0, x);
  }
};

// tanh|x| = e / (e + 2) with e = expm1(2|x|) = 2^n (e^r - 1) + (2^n - 1): both terms are positive or the second is 0.
struct TanhLanes {
  MERCER_INLINE void operator()(const Doubles& x, Doubles& y) const {
    constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
    Doubles twice = 2.0 * (Doubles)((Bits64)x & ~sign_bit);
    replace(twice, twice > 40.0, Doubles{} + 40.0);
    Doubles shifted;
    Doubles r;
    Doubles q;
    reduce_exp(twice, shifted, r);
    const Doubles r2 = r * r;
    expm1_tail(r, r2, q);
    const Doubles power = (Doubles)(((Bits64)shifted << 52) + 0x3ff0000000000000U);
    const Doubles e = power * (q * r2 + r) + (power - 1.0);
    y = e / (e + 2.0);
    y = (Doubles)((Bits64)y | ((Bits64)x & sign_bit));
    replace(y, x != x, x);
  }
};

enum class Wave { sine, cosine };

// x = n pi/2 + r, |r| <= pi/4, by three parts of pi/2 whose first two have 33 bits: their products with n are exact.
template <Wave wave>
struct WaveLanes {
  MERCER_INLINE void operator()(const Doubles& x, Doubles& y) const {
    const Doubles shifted = x * 0.63661977236758134308 + round_magic;
    const Doubles n = shifted - round_magic;
    Doubles r = x - n * 0x1.921fb544p+0;
    r = r - n * 0x1.0b4611a6p-34;
    r = r - n * 0x1.3198a2e037073p-69;
    const Doubles z = r * r;
    Doubles s = z * 1.5896666497140375668e-10 - 2.5050755962132373162e-8;
    s = s * z + 2.7557313678678512692e-6;
    s = s * z - 0.00019841269829771236084;
    s = s * z + 0.0083333333333223701172;
    s = s * z - 0.16666666666666631861;
    const Doubles sine = s * (z * r) + r;
    Doubles c = z * -1.1359559289361129591e-11 + 2.0875721623203373626e-9;
    c = c * z - 2.7557314340658882003e-7;
    c = c * z + 0.000024801587289443497058;
    c = c * z - 0.0013888888888874064959;
    c = c * z + 0.041666666666666599154;
    const Doubles cosine = c * (z * z) + (1.0 - 0.5 * z);
    const Bits64 quadrant = (Bits64)shifted + (wave == Wave::cosine ? 1U : 0U);
    const Bits64 odd = Bits64{} - (quadrant & 1U);
    y = sine;
    replace(y, odd, cosine);
    y = (Doubles)((Bits64)y ^ ((quadrant & 2U) << 62));
    // Beyond 1e5 the reduction loses digits.
    const Bits64 far = ~(Bits64)((x <= 1e5) & (x >= -1e5));
    if (any_lane(far)) [[unlikely]] {
      for (int lane = 0; lane < 4; ++lane) {
        if (far[lane] != 0) {
          y[lane] = wave == Wave::sine ? std::sin(x[lane]) : std::cos(x[lane]);
        }
      }
    }
  }
};

struct PowLanes {
  double exponent;
  MERCER_INLINE void operator()(const Doubles& x, Doubles& y) const {
    Doubles logarithm;
    log_lanes(x, logarithm);
    exp_lanes(exponent * logarithm, y);
  }
};

// x^n by repeated squaring; the same steps for every lane.
struct IntegerPowLanes {
  int exponent;
  MERCER_INLINE void operator()(const Doubles& x, Doubles& y) const {
    Doubles square = x;
    y = Doubles{} + 1.0;
    for (int rest = exponent < 0 ? -exponent : exponent; rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) {
        y = y * square;
      }
      square = square * square;
    }
    if (exponent < 0) {
      y = 1.0 / y;
    }
  }
};

// A function of double lanes over a block of doubles, or of floats by way of doubles.
template <class T, class LaneFunction>
struct LanesBlock {
  static constexpr int width = 8;
  LaneFunction function;

  MERCER_INLINE void operator()(const double* in, double* out) const {
    for (int j = 0; j < width; j += 4) {
      Doubles x;
      Doubles y;
      load(in + j, x);
      function(x, y);
      store(y, out + j);
    }
  }
  MERCER_INLINE void operator()(const float* in, float* out) const {
    for (int j = 0; j < width; j += 4) {
      HalfFloats narrow;
      load(in + j, narrow);
      const Doubles x = __builtin_convertvector(narrow, Doubles);
      Doubles y;
      function(x, y);
      store(__builtin_convertvector(y, HalfFloats), out + j);
    }
  }
};

// The last block is padded in a buffer and goes through the same code, so that an element's bits never depend on
// where it stands.
template <class T, class Block>
MERCER_INLINE void over_blocks(const T* in, T* out, Index size, const Block& block) {
  constexpr Index width = Block::width;
  T padded[width];
  for (Index i = 0; i < size; i += width) {
    const bool whole = size - i >= width;
    const T* source = in + i;
    T* target = out + i;
    if (!whole) {
      for (Index j = 0; j < width; ++j) {
        padded[j] = i + j < size ? in[i + j] : T{1};
      }
      source = padded;
      target = padded;
    }
    block(source, target);
    if (!whole) {
      for (Index j = 0; i + j < size; ++j) {
        out[i + j] = padded[j];
      }
    }
  }
}

}  // namespace mercer::lanes
