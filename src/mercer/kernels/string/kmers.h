// The substrings of one length k of a string ("k-mers", or n-grams of words), each with a 64-bit key.
//
// Where k symbols and one marking bit fit 64 bits (7 bytes, 31 nucleotides, 12 amino acids), a key is the packed
// substring below that bit, rolled along the string in O(length). Longer ones and words are hashed in O(length log k):
// keys of windows of length 2p are joined from those of length p, and a window of any length is covered by two of the
// largest power of two below it. Keys of different lengths differ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/kernels/string/alphabet.h"

namespace mercer {

/// Where the symbols of a text stand in it, in bytes.
class SymbolPlaces {
 public:
  SymbolPlaces(const Alphabet& alphabet, std::string_view text);

  std::int64_t begin(std::size_t symbol) const {
    return static_cast<std::int64_t>(words_ ? spans_[symbol].first : symbol);
  }
  std::int64_t end(std::size_t symbol) const {
    return static_cast<std::int64_t>(words_ ? spans_[symbol].second : symbol + 1);
  }

 private:
  bool words_;
  std::vector<std::pair<std::size_t, std::size_t>> spans_;
};

class Kmers {
 public:
  /// k >= 1; both strands for DNA only.
  Kmers(Alphabet alphabet, std::size_t k, Strands strands);

  const Alphabet& alphabet() const { return alphabet_; }
  std::size_t length() const { return k_; }
  Strands strands() const { return strands_; }
  /// Whether keys are packed substrings: one key, one substring.
  bool is_packed() const { return k_ <= alphabet_.longest_packed(); }

  /// Calls f(key, at) for the substring that starts at symbol `at`, in the order of `at`. With both strands the key is
  /// the smaller of the substring's and its reverse complement's.
  template <class F>
  void for_each(std::string_view text, F f) const {
    for_each_strand(
        text, [&](std::uint64_t forward, std::uint64_t reverse, std::size_t at) { f(std::min(forward, reverse), at); });
  }
  /// Calls f(forward, reverse, at) with the keys of the substring and of its reverse complement; these are equal where
  /// there is one strand only.
  template <class F>
  void for_each_strand(std::string_view text, F f) const;

  /// Calls f(key, begin, end) with the bytes of the text that each substring covers.
  template <class F>
  void for_each_place(std::string_view text, F f) const;

  /// The substring at symbol `at` as a reader knows it: upper case for DNA and proteins, the alphabetically first of the
  /// two with both strands, words with single spaces. `places` are those of the text.
  std::string text_at(std::string_view text, const SymbolPlaces& places, std::size_t at) const;

 private:
  struct Hashed {
    std::size_t at;
    std::uint64_t forward;
    std::uint64_t reverse;
  };
  std::vector<Hashed> hashed(std::string_view text) const;

  Alphabet alphabet_;
  std::size_t k_;
  Strands strands_;
};

template <class F>
void Kmers::for_each_place(std::string_view text, F f) const {
  const SymbolPlaces places(alphabet_, text);
  for_each(text, [&](std::uint64_t key, std::size_t at) { f(key, places.begin(at), places.end(at + k_ - 1)); });
}

template <class F>
void Kmers::for_each_strand(std::string_view text, F f) const {
  if (!is_packed()) {
    for (const Hashed& kmer : hashed(text)) {
      f(kmer.forward, kmer.reverse, kmer.at);
    }
    return;
  }
  const int bits = alphabet_.bits();
  const std::uint64_t mark = std::uint64_t{1} << (bits * static_cast<int>(k_));
  const int top = bits * static_cast<int>(k_ - 1);
  std::uint64_t forward = 0;
  std::uint64_t reverse = 0;
  std::size_t known = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int code = alphabet_.code(text[at]);
    if (code < 0) {
      known = 0;
      continue;
    }
    forward = ((forward << bits) | static_cast<std::uint64_t>(code)) & (mark - 1);
    if (strands_ == Strands::both) {
      reverse = (reverse >> bits) | (static_cast<std::uint64_t>(3 - code) << top);
    }
    if (++known >= k_) {
      f(forward | mark, (strands_ == Strands::both ? reverse : forward) | mark, at + 1 - k_);
    }
  }
}

}  // namespace mercer
