#include "mercer/kernels/string/tokenizer.h"

#include <algorithm>
#include <array>

namespace mercer {

namespace {

// One character: its code point, or beyond_unicode for a byte that begins no UTF-8 character, and its bytes.
struct TextCharacter {
  char32_t code = 0;
  std::size_t bytes = 1;
};
constexpr char32_t beyond_unicode = 0x110000;

TextCharacter character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t lead = byte(at);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) {
    return {beyond_unicode, 1};
  }
  char32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80) {
      return {beyond_unicode, 1};
    }
    code = (code << 6U) | (byte(at + i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < smallest[length] || code >= beyond_unicode || surrogate) {
    return {beyond_unicode, 1};
  }
  return {code, length};
}

struct CodeRange {
  char32_t first;
  char32_t last;
};
constexpr std::array<CodeRange, 16> separators = {{{0x80, 0xa9},
                                                   {0xab, 0xb4},
                                                   {0xb6, 0xb9},
                                                   {0xbb, 0xbf},
                                                   {0xd7, 0xd7},
                                                   {0xf7, 0xf7},
                                                   {0x2000, 0x206f},
                                                   {0x20a0, 0x20cf},
                                                   {0x2190, 0x2bff},
                                                   {0x3000, 0x303f},
                                                   {0xfe30, 0xfe4f},
                                                   {0xfeff, 0xfeff},
                                                   {0xff00, 0xff0f},
                                                   {0xff1a, 0xff20},
                                                   {0xff3b, 0xff40},
                                                   {0xff5b, 0xff65}}};

// The range that a code stands in, null for none.
template <class Ranges>
const typename Ranges::value_type* range_of(const Ranges& ranges, char32_t code) {
  const auto* const after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                             [](char32_t c, const auto& range) { return c < range.first; });
  return after == ranges.begin() || code > (after - 1)->last ? nullptr : after - 1;
}

bool is_word_character(char32_t code) {
  if (code < 0x80) {
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= '0' && code <= '9') || code == '_';
  }
  return range_of(separators, code) == nullptr;
}

// Blocks in which upper and lower case stand in turn, beginning with an upper one.
constexpr std::array<CodeRange, 17> alternating = {{{0x100, 0x137},  // Latin Extended-A
                                                    {0x139, 0x148},
                                                    {0x14a, 0x177},
                                                    {0x179, 0x17e},
                                                    {0x1cd, 0x1dc},  // Latin Extended-B
                                                    {0x1de, 0x1ef},
                                                    {0x1f8, 0x21f},
                                                    {0x222, 0x233},
                                                    {0x246, 0x24f},
                                                    {0x3d8, 0x3ef},  // Greek numerals, Coptic
                                                    {0x460, 0x481},  // Cyrillic
                                                    {0x48a, 0x4bf},
                                                    {0x4c1, 0x4ce},
                                                    {0x4d0, 0x52f},
                                                    {0x1e00, 0x1e95},  // Latin Extended Additional
                                                    {0x1ea0, 0x1eff},
                                                    {0xa640, 0xa66d}}};  // Cyrillic Extended-B

// Blocks whose lower case stands elsewhere, at one distance.
struct CaseShift {
  char32_t first;
  char32_t last;
  char32_t lower_first;
};
constexpr std::array<CaseShift, 16> shifted = {{{'A', 'Z', 'a'},
                                                {0xc0, 0xd6, 0xe0},
                                                {0xd8, 0xde, 0xf8},
                                                {0x178, 0x178, 0xff},
                                                {0x386, 0x386, 0x3ac},
                                                {0x388, 0x38a, 0x3ad},
                                                {0x38c, 0x38c, 0x3cc},
                                                {0x38e, 0x38f, 0x3cd},
                                                {0x391, 0x3a1, 0x3b1},
                                                {0x3a3, 0x3ab, 0x3c3},
                                                {0x400, 0x40f, 0x450},
                                                {0x410, 0x42f, 0x430},
                                                {0x4c0, 0x4c0, 0x4cf},
                                                {0x531, 0x556, 0x561},       // Armenian
                                                {0x1e9e, 0x1e9e, 0xdf},      // ẞ
                                                {0xff21, 0xff3a, 0xff41}}};  // full-width Latin

char32_t lower_case(char32_t code) {
  if (code == 0x130) {
    return U'i';
  }
  if (const CaseShift* const shift = range_of(shifted, code)) {
    return code - shift->first + shift->lower_first;
  }
  const CodeRange* const turns = range_of(alternating, code);
  return turns != nullptr && (code - turns->first) % 2 == 0 ? code + 1 : code;
}

void append_utf8(char32_t code, std::string& out) {
  const auto push = [&out](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    push(code);
    return;
  }
  if (code < 0x800) {
    push(0xc0U | (code >> 6U));
  } else {
    if (code < 0x10000) {
      push(0xe0U | (code >> 12U));
    } else {
      push(0xf0U | (code >> 18U));
      push(0x80U | ((code >> 12U) & 0x3fU));
    }
    push(0x80U | ((code >> 6U) & 0x3fU));
  }
  push(0x80U | (code & 0x3fU));
}

}  // namespace

Words::Words(std::string_view text, std::int64_t min_length) {
  joined_.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::size_t start = joined_.size();
    std::int64_t length = 0;
    while (at < text.size()) {
      const TextCharacter character = character_at(text, at);
      if (!is_word_character(character.code)) {
        break;
      }
      if (character.code == beyond_unicode) {
        joined_ += text[at];
      } else {
        append_utf8(lower_case(character.code), joined_);
      }
      at += character.bytes;
      ++length;
    }
    if (length > 0 && length >= min_length) {
      starts_.push_back(start);
      places_.push_back({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(at)});
      joined_ += ' ';
    } else {
      joined_.resize(start);
    }
    if (length == 0) {
      at += character_at(text, at).bytes;
    }
  }
  starts_.push_back(joined_.size());
}

}  // namespace mercer
