#include "mercer/base/random.h"

#include <Random123/philox.h>

#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "mercer/base/error.h"

namespace mercer {

std::array<std::uint64_t, 2> RandomStream::block(std::uint64_t counter) const {
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  const r123::Philox4x32::ctr_type input = {{low(counter), high(counter), low(stream_), high(stream_)}};
  const r123::Philox4x32::key_type key = {{low(seed_), high(seed_)}};
  const r123::Philox4x32::ctr_type words = r123::Philox4x32()(input, key);
  return {words[0] | (std::uint64_t{words[1]} << 32), words[2] | (std::uint64_t{words[3]} << 32)};
}

std::uint64_t RandomStream::at(std::uint64_t position) const { return block(position / 2)[position % 2]; }

std::uint64_t RandomStream::bits() {
  if (position_ % 2 == 0) {
    current_ = block(position_ / 2);
  }
  return current_[position_++ % 2];
}

double RandomStream::uniform() {
  constexpr double below_one = 1 - 0x1p-53;
  return std::min((static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53, below_one);
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  assert(bound >= 1);
  // Values under 2^64 mod bound would make the small results more likely: draw again.
  const std::uint64_t surplus = (0 - bound) % bound;
  std::uint64_t value = bits();
  while (value < surplus) {
    value = bits();
  }
  return value % bound;
}

double RandomStream::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

double RandomStream::gamma(double shape) {
  assert(shape > 0);
  if (shape < 1) {
    const double boost = std::pow(uniform(), 1 / shape);
    return boost * gamma(shape + 1);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) {
      continue;
    }
    const double v = root * root * root;
    if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

double RandomStream::chi_squared(double degrees) { return 2 * gamma(degrees / 2); }

double RandomStream::chi(double degrees) { return std::sqrt(chi_squared(degrees)); }

double RandomStream::cauchy() { return std::tan(std::numbers::pi * (uniform() - 0.5)); }

void fill_normal(RandomStream& random, std::span<double> out) {
  for (double& value : out) {
    value = random.normal();
  }
}

void fill_normal(RandomStream& random, std::span<float> out) {
  for (float& value : out) {
    value = static_cast<float>(random.normal());
  }
}

void shuffle(RandomStream& random, std::span<Index> values) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.below(i)]);
  }
}

std::vector<Index> random_permutation(RandomStream& random, Index count) {
  std::vector<Index> values(count);
  std::iota(values.begin(), values.end(), Index{0});
  shuffle(random, values);
  return values;
}

std::vector<Index> sample_without_replacement(RandomStream& random, Index count, Index size) {
  if (size < 0 || size > count) {
    reject_argument("sample size", std::to_string(size),
                    "between 0 and the " + std::to_string(count) + " rows there are");
  }
  // The first `size` steps of Fisher-Yates over 0..count-1; only the entries that moved are stored.
  std::unordered_map<Index, Index> moved;
  const auto value_at = [&](Index place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::vector<Index> sample;
  sample.reserve(size);
  for (Index i = 0; i < size; ++i) {
    const Index j = i + static_cast<Index>(random.below(static_cast<std::uint64_t>(count - i)));
    sample.push_back(value_at(j));
    moved[j] = value_at(i);
  }
  return sample;
}

}  // namespace mercer
