// Alphabets: how a string falls into symbols.
//
//   bytes     every byte is a symbol; nothing is unknown (the default)
//   dna       A C G T, upper or lower case, U read as T; every other character is unknown
//   protein   the twenty amino acids, upper or lower case; every other character is unknown
//   words     tokens between white space (space, tab, line ends; bytes of UTF-8 letters are never cut)
//
// A substring that holds an unknown symbol (N in DNA, X in a protein, a gap) is no feature. Letters that no nucleotide
// code has (E F I J L O P Q Z) under `dna` are refused: the strings are something else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/kernels/parameter.h"

namespace mercer {

enum class AlphabetKind { bytes, dna, protein, words };

class Alphabet {
 public:
  explicit Alphabet(AlphabetKind kind);
  /// The one that the parameter `alphabet` names.
  explicit Alphabet(const ParameterList& parameters);

  AlphabetKind kind() const { return kind_; }
  /// Bits of one packed symbol: 8, 2, 5; 0 for words, which are hashed.
  int bits() const { return bits_; }
  /// How many symbols there are (256, 4, 20); 0 for words.
  int letters() const { return letters_; }
  /// The number of a character, -1 where it is unknown. Not for words.
  int code(char c) const { return codes_[static_cast<unsigned char>(c)]; }
  /// The character of a number; not for words.
  char letter(int code) const { return letters_text_.empty() ? static_cast<char>(code) : letters_text_[code]; }
  /// The longest substring that one 64-bit number holds, with one bit more that marks its length.
  std::size_t longest_packed() const { return bits_ == 0 ? 0 : static_cast<std::size_t>(63 / bits_); }

  /// InvalidArgument or DataError unless the samples are strings (or categories) over this alphabet.
  void require(std::string_view kernel, const Samples& samples) const;

 private:
  AlphabetKind kind_;
  int bits_ = 0;
  int letters_ = 0;
  std::string_view letters_text_;
  std::array<std::int16_t, 256> codes_{};
};

/// The tokens between white space.
std::vector<std::string_view> words_of(std::string_view text);

/// The letters of the complementary strand, read in its direction; `text` holds A C G T only.
std::string reverse_complement(std::string_view text);

/// The parameter `alphabet`; `words` and `default_text` are the choices of one kernel.
ParameterSpec alphabet_parameter(std::vector<std::string> words = {"bytes", "dna", "protein", "words"},
                                 std::string default_text = "bytes");

/// A whole number of symbols that a kernel was told, or `fallback` while it is unset or searched for. Numbers that no
/// string reaches are cut to 10¹⁵.
std::size_t length_of(const ParameterList& parameters, std::string_view name, double fallback);
/// The parameter `decay`, the weight of one more symbol, in (0, 1]: InvalidArgument above 1, where the weights of long substrings would overflow.
double decay_of(std::string_view kernel, const ParameterList& parameters, double fallback);

/// Whether a substring of DNA and its reverse complement are one feature.
enum class Strands { one, both };
/// The parameter `reverse_complement`, no or yes.
ParameterSpec strands_parameter();
/// InvalidArgument where both strands are asked for in an alphabet that has no complement.
Strands strands_of(std::string_view kernel, const ParameterList& parameters, const Alphabet& alphabet);

}  // namespace mercer
