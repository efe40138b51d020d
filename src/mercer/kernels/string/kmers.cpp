#include "mercer/kernels/string/kmers.h"

#include "mercer/kernels/feature_key.h"

namespace mercer {

namespace {

// Keys of all windows of k symbols, from those of the symbols.
std::vector<std::uint64_t> window_keys(std::vector<std::uint64_t> keys, std::size_t k) {
  if (keys.size() < k) {
    return {};
  }
  std::size_t covered = 1;
  for (; 2 * covered <= k; covered *= 2) {
    for (std::size_t i = 0; i + covered < keys.size(); ++i) {
      keys[i] = joined_key(keys[i], keys[i + covered]);
    }
    keys.resize(keys.size() - covered);
  }
  const std::size_t step = k - covered;
  for (std::size_t i = 0; i + step < keys.size(); ++i) {
    keys[i] = joined_key(joined_key(keys[i], keys[i + step]), k);
  }
  keys.resize(keys.size() - step);
  return keys;
}

}  // namespace

SymbolPlaces::SymbolPlaces(const Alphabet& alphabet, std::string_view text)
    : words_(alphabet.kind() == AlphabetKind::words) {
  if (!words_) {
    return;
  }
  for (const std::string_view word : words_of(text)) {
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    spans_.emplace_back(begin, begin + word.size());
  }
}

Kmers::Kmers(Alphabet alphabet, std::size_t k, Strands strands) : alphabet_(alphabet), k_(k), strands_(strands) {}

std::vector<Kmers::Hashed> Kmers::hashed(std::string_view text) const {
  std::vector<Hashed> all;
  std::vector<std::uint64_t> symbols;
  std::size_t begin = 0;
  const auto finish_run = [&] {
    const std::vector<std::uint64_t> forward = window_keys(symbols, k_);
    std::vector<std::uint64_t> reverse = forward;
    if (strands_ == Strands::both) {
      std::reverse(symbols.begin(), symbols.end());
      for (std::uint64_t& symbol : symbols) {
        symbol = 3 - symbol;
      }
      reverse = window_keys(symbols, k_);
      std::reverse(reverse.begin(), reverse.end());
    }
    for (std::size_t i = 0; i < forward.size(); ++i) {
      all.push_back({begin + i, forward[i], reverse[i]});
    }
    symbols.clear();
  };
  if (alphabet_.kind() == AlphabetKind::words) {
    for (const std::string_view word : words_of(text)) {
      symbols.push_back(text_key(word));
    }
    finish_run();
    return all;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int code = alphabet_.code(text[at]);
    if (code >= 0) {
      symbols.push_back(static_cast<std::uint64_t>(code));
      continue;
    }
    finish_run();
    begin = at + 1;
  }
  finish_run();
  return all;
}

std::string Kmers::text_at(std::string_view text, const SymbolPlaces& places, std::size_t at) const {
  const auto begin = static_cast<std::size_t>(places.begin(at));
  const std::string_view covered = text.substr(begin, static_cast<std::size_t>(places.end(at + k_ - 1)) - begin);
  std::string part;
  if (alphabet_.kind() == AlphabetKind::words) {
    for (const std::string_view word : words_of(covered)) {
      part += part.empty() ? "" : " ";
      part += word;
    }
    return part;
  }
  for (const char c : covered) {
    part += alphabet_.letter(alphabet_.code(c));
  }
  return strands_ == Strands::both ? std::min(part, reverse_complement(part)) : part;
}

}  // namespace mercer
