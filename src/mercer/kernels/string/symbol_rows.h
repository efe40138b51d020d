// SymbolRows: strings as sequences of symbols that are compared for equality. What the kernels that walk through two
// strings at once see of their samples. A symbol that the alphabet does not know equals nothing, not even itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/string/alphabet.h"

namespace mercer {

/// Symbols that equal nothing have one code on one side of a comparison and another on the other side.
enum class StringSide { left, right };

/// The symbols of a text, O(length).
std::vector<std::uint64_t> read_symbols(const Alphabet& alphabet, std::string_view text, StringSide side);

/// Whether s comes before t by length, then by content: the same order whichever of both is the left one. What kernels
/// sort a pair by that must give the same bits with its strings exchanged.
bool comes_before(std::span<const std::uint64_t> s, std::span<const std::uint64_t> t);

/// How many symbols a text has.
std::size_t symbol_count(const Alphabet& alphabet, std::string_view text);

class SymbolRows {
 public:
  /// InvalidArgument or DataError (Alphabet::require) where the samples are no strings of this alphabet. Bytes are read
  /// from the samples when they are needed; words are kept, 8 bytes each.
  SymbolRows(std::string_view kernel, const Samples& samples, const Alphabet& alphabet, const Run& run);

  std::vector<std::uint64_t> symbols(Index i, StringSide side) const;
  /// What a long comparison asks whether it should stop.
  const Run& run() const { return run_; }

 private:
  Samples samples_;
  Alphabet alphabet_;
  Run run_;
  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> offsets_;
};

}  // namespace mercer
