// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", 2011; Random123).
//
// A value is a function of (seed, stream, counter) alone: the same on every platform and for any number of threads.
// Give every independent use its own stream (a task index, a fold, a model part). Streams and seeds are the key and
// half of the counter of one block cipher, so no two of them overlap. The distributions are our own; std:: ones
// differ between libraries.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/index.h"

namespace mercer {

class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  /// 64 random bits; the k-th call on a fresh stream returns at(k).
  std::uint64_t bits();
  /// The 64 random bits at a position of the stream; does not move it.
  std::uint64_t at(std::uint64_t position) const;

  /// Uniform on the open interval (0, 1): the middles of 2^53 equal cells but the last, which rounds to just under 1.
  double uniform();
  /// Uniform integer in [0, bound), without bias; bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box-Muller; values come in pairs, the second is kept for the next call).
  double normal();
  /// Gamma of the given shape > 0 and scale 1 (Marsaglia and Tsang 2000).
  double gamma(double shape);
  /// Chi-squared and chi with degrees > 0 degrees of freedom.
  double chi_squared(double degrees);
  double chi(double degrees);
  /// Standard Cauchy.
  double cauchy();

 private:
  std::array<std::uint64_t, 2> block(std::uint64_t counter) const;

  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
  std::array<std::uint64_t, 2> current_{};  // the block that position_ - 1 lies in, when position_ is odd
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

/// Fills with independent standard normals.
void fill_normal(RandomStream& random, std::span<double> out);
void fill_normal(RandomStream& random, std::span<float> out);

/// Fisher-Yates, in place.
void shuffle(RandomStream& random, std::span<Index> values);

/// A uniform permutation of 0..count-1.
std::vector<Index> random_permutation(RandomStream& random, Index count);

/// `size` distinct values of 0..count-1, a uniform subset in random order; throws InvalidArgument unless
/// 0 <= size <= count. O(size) memory and expected time.
std::vector<Index> sample_without_replacement(RandomStream& random, Index count, Index size);

}  // namespace mercer
