#include "mercer/kernels/string/alphabet.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

AlphabetKind alphabet_named(const std::string& word) {
  if (word == "dna") {
    return AlphabetKind::dna;
  }
  if (word == "protein") {
    return AlphabetKind::protein;
  }
  return word == "words" ? AlphabetKind::words : AlphabetKind::bytes;
}

constexpr bool separates_words(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

constexpr char lower_case_letter(char c) { return static_cast<char>(c - 'A' + 'a'); }

// Letters that no nucleotide and no ambiguity code has.
constexpr std::array<bool, 256> foreign_to_dna = [] {
  std::array<bool, 256> foreign{};
  for (const char letter : std::string_view("EFIJLOPQZ")) {
    foreign[static_cast<unsigned char>(letter)] = foreign[static_cast<unsigned char>(lower_case_letter(letter))] = true;
  }
  return foreign;
}();

}  // namespace

Alphabet::Alphabet(AlphabetKind kind) : kind_(kind) {
  switch (kind) {
    case AlphabetKind::words:
      return;
    case AlphabetKind::bytes:
      bits_ = 8;
      letters_ = 256;
      for (int c = 0; c < 256; ++c) {
        codes_[c] = static_cast<std::int16_t>(c);
      }
      return;
    case AlphabetKind::dna:
      bits_ = 2;
      letters_text_ = "ACGT";
      break;
    case AlphabetKind::protein:
      bits_ = 5;
      letters_text_ = "ACDEFGHIKLMNPQRSTVWY";
      break;
  }
  letters_ = static_cast<int>(letters_text_.size());
  codes_.fill(-1);
  const auto set = [this](char letter, int code) {
    codes_[static_cast<unsigned char>(letter)] = codes_[static_cast<unsigned char>(lower_case_letter(letter))] =
        static_cast<std::int16_t>(code);
  };
  for (int code = 0; code < letters_; ++code) {
    set(letters_text_[code], code);
  }
  if (kind == AlphabetKind::dna) {
    set('U', 3);
  }
}

Alphabet::Alphabet(const ParameterList& parameters) : Alphabet(alphabet_named(parameters.word("alphabet"))) {}

void Alphabet::require(std::string_view kernel, const Samples& samples) const {
  require_strings(kernel, samples);
  if (kind_ != AlphabetKind::dna) {
    return;
  }
  for (Index i = 0; i < samples.size(); ++i) {
    const std::string_view text = string_at(samples, i);
    const auto* const found =
        std::find_if(text.begin(), text.end(), [](char c) { return foreign_to_dna[static_cast<unsigned char>(c)]; });
    if (found != text.end()) {
      const auto at = static_cast<std::size_t>(found - text.begin());
      throw DataError(std::string(kernel) + ": alphabet=dna, but row " + std::to_string(i) + " has '" + text[at] +
                      "' at position " + std::to_string(at) +
                      " (both counted from 0), which is no nucleotide and no ambiguity code; choose alphabet=protein "
                      "or alphabet=bytes");
    }
  }
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && !separates_words(text[at])) {
      ++at;
    }
    if (at > begin) {
      words.push_back(text.substr(begin, at - begin));
    } else {
      ++at;
    }
  }
  return words;
}

std::string reverse_complement(std::string_view text) {
  std::string other(text.rbegin(), text.rend());
  for (char& c : other) {
    c = "TGCA"[std::string_view("ACGT").find(c)];
  }
  return other;
}

ParameterSpec alphabet_parameter(std::vector<std::string> words, std::string default_text) {
  return {.name = "alphabet",
          .role = ParameterRole::word,
          .default_text = std::move(default_text),
          .meaning = "what a symbol is; substrings with symbols unknown to it are skipped",
          .words = std::move(words)};
}

std::size_t length_of(const ParameterList& parameters, std::string_view name, double fallback) {
  return static_cast<std::size_t>(std::min(parameters.number_or(name, fallback), 1e15));
}

double decay_of(std::string_view kernel, const ParameterList& parameters, double fallback) {
  const double decay = parameters.number_or("decay", fallback);
  if (decay > 1) {
    reject_argument(
        std::string(kernel) + ": decay", decay,
        "a number in (0, 1]; lengths with weights of their own are listed in blended_spectrum(weights=...)");
  }
  return decay;
}

ParameterSpec strands_parameter() {
  return {.name = "reverse_complement",
          .role = ParameterRole::word,
          .default_text = "no",
          .meaning = "yes: a substring of DNA and its reverse complement are one feature",
          .words = {"no", "yes"}};
}

Strands strands_of(std::string_view kernel, const ParameterList& parameters, const Alphabet& alphabet) {
  if (parameters.word("reverse_complement") == "no") {
    return Strands::one;
  }
  if (alphabet.kind() != AlphabetKind::dna) {
    throw InvalidArgument(std::string(kernel) + ": reverse_complement = yes needs alphabet = dna");
  }
  return Strands::both;
}

}  // namespace mercer
