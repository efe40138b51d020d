#include "mercer/kernels/string/symbol_rows.h"

#include <algorithm>

#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

// Above every code.
constexpr std::uint64_t unmatched_left = 1000;
constexpr std::uint64_t unmatched_right = 1001;

}  // namespace

std::vector<std::uint64_t> read_symbols(const Alphabet& alphabet, std::string_view text, StringSide side) {
  std::vector<std::uint64_t> symbols;
  if (alphabet.kind() == AlphabetKind::words) {
    for (const std::string_view word : words_of(text)) {
      symbols.push_back(text_key(word));
    }
    return symbols;
  }
  const std::uint64_t unmatched = side == StringSide::left ? unmatched_left : unmatched_right;
  symbols.resize(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int code = alphabet.code(text[at]);
    symbols[at] = code < 0 ? unmatched : static_cast<std::uint64_t>(code);
  }
  return symbols;
}

bool comes_before(std::span<const std::uint64_t> s, std::span<const std::uint64_t> t) {
  const auto sideless = [](std::uint64_t symbol) { return symbol == unmatched_right ? unmatched_left : symbol; };
  return s.size() != t.size() ? s.size() < t.size()
                              : std::ranges::lexicographical_compare(s, t, {}, sideless, sideless);
}

std::size_t symbol_count(const Alphabet& alphabet, std::string_view text) {
  return alphabet.kind() == AlphabetKind::words ? words_of(text).size() : text.size();
}

SymbolRows::SymbolRows(std::string_view kernel, const Samples& samples, const Alphabet& alphabet, const Run& run)
    : samples_(samples), alphabet_(alphabet), run_(run.stop_only()) {
  alphabet.require(kernel, samples);
  if (alphabet.kind() != AlphabetKind::words) {
    return;
  }
  offsets_.push_back(0);
  for (Index i = 0; i < samples.size(); ++i) {
    const std::vector<std::uint64_t> words = read_symbols(alphabet, string_at(samples, i), StringSide::left);
    words_.insert(words_.end(), words.begin(), words.end());
    offsets_.push_back(words_.size());
  }
}

std::vector<std::uint64_t> SymbolRows::symbols(Index i, StringSide side) const {
  if (offsets_.empty()) {
    return read_symbols(alphabet_, string_at(samples_, i), side);
  }
  const auto row = static_cast<std::size_t>(i);
  return {words_.begin() + static_cast<std::ptrdiff_t>(offsets_[row]),
          words_.begin() + static_cast<std::ptrdiff_t>(offsets_[row + 1])};
}

}  // namespace mercer
