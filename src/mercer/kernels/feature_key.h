// Names of explicit features as 64-bit numbers. A key depends on the feature alone, never on the data at hand, so that
// the features of training and test samples, computed apart, can be matched. Features that fit 64 bits (short words over
// small alphabets) are packed exactly; all others are hashed, and two of N different features then share a key with
// probability N²/2⁶⁵ (3·10⁻⁶ for ten million).
#pragma once

#include <cstdint>
#include <string_view>

namespace mercer {

/// A bijection of 64-bit numbers whose every output bit depends on every input bit (the finaliser of SplitMix64;
/// Steele, Lea, Flood 2014).
constexpr std::uint64_t mixed_bits(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

/// The key of a sequence that begins as `key` and goes on with `value`; order matters.
constexpr std::uint64_t joined_key(std::uint64_t key, std::uint64_t value) {
  return mixed_bits(key ^ (mixed_bits(value) + 0x9e3779b97f4a7c15ULL + (key << 6) + (key >> 2)));
}

/// The key of a byte string.
constexpr std::uint64_t text_key(std::string_view text) {
  std::uint64_t key = mixed_bits(text.size());
  for (const char c : text) {
    key = joined_key(key, static_cast<unsigned char>(c));
  }
  return key;
}

}  // namespace mercer
