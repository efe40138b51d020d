#include "mercer/kernels/string/tokenizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>

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

// What a character does to the word before it.
enum class CharacterRole {
  word,       // makes or continues one
  extender,   // continues one
  ignored,    // continues one without being part of it
  separator,  // ends it
};

CharacterRole role_of(char32_t code) {
  if (code < 0x80) {
    const bool is_word =
        (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= '0' && code <= '9') || code == '_';
    return is_word ? CharacterRole::word : CharacterRole::separator;
  }
  if (code == beyond_unicode) {
    return CharacterRole::word;
  }
  constexpr char32_t zero_width_space = 0x200b;
  constexpr char32_t zero_width_non_joiner = 0x200c;
  constexpr char32_t zero_width_joiner = 0x200d;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharacterRole::word;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharacterRole::extender;
    case UTF8PROC_CATEGORY_CF:
      return code == zero_width_space                                     ? CharacterRole::separator
             : code == zero_width_non_joiner || code == zero_width_joiner ? CharacterRole::extender
                                                                          : CharacterRole::ignored;
    default:
      return CharacterRole::separator;
  }
}

char32_t lower_case(char32_t code) {
  if (code < 0x80) {
    return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
  }
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
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

// A word while it is read: its text behind `start` in `joined`, in lower case.
class WordBuilder {
 public:
  explicit WordBuilder(std::string& joined) : joined_(joined), start_(joined.size()) {}

  bool is_empty() const { return length_ == 0; }

  void add(TextCharacter character, CharacterRole role, std::string_view text) {
    if (role == CharacterRole::ignored) {
      return;
    }
    if (character.code == beyond_unicode) {
      joined_ += text.front();
      is_unicode_ = false;
    } else {
      append_utf8(lower_case(character.code), joined_);
    }
    has_marks_ = has_marks_ || role == CharacterRole::extender;
    ends_in_sigma_ = character.code == capital_sigma || (ends_in_sigma_ && role == CharacterRole::extender);
    ++length_;
  }

  /// The number of characters.
  std::int64_t finish() {
    if (ends_in_sigma_) {
      const std::size_t at = joined_.rfind(small_sigma);
      if (has_letters(std::string_view(joined_).substr(start_, at - start_))) {
        joined_.replace(at, small_sigma.size(), final_sigma);
      }
    }
    if (has_marks_ && is_unicode_) {
      compose();
    }
    return length_;
  }
  void drop() { joined_.resize(start_); }
  std::size_t start() const { return start_; }

 private:
  static constexpr char32_t capital_sigma = 0x3a3;
  static constexpr std::string_view small_sigma = "σ";
  static constexpr std::string_view final_sigma = "ς";

  // Letters that have a case, in text of lower case.
  static bool has_letters(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const TextCharacter character = character_at(text, at);
      const auto code = static_cast<utf8proc_int32_t>(character.code);
      if (character.code != beyond_unicode && utf8proc_toupper(code) != code) {
        return true;
      }
      at += character.bytes;
    }
    return false;
  }

  void compose() {
    utf8proc_uint8_t* composed = nullptr;
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(joined_.data() + start_),
                                   static_cast<utf8proc_ssize_t>(joined_.size() - start_), &composed,
                                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(composed, std::free);
    if (size < 0) {
      throw std::bad_alloc();  // the only error that valid UTF-8 leaves
    }
    joined_.replace(start_, std::string::npos, reinterpret_cast<const char*>(composed), static_cast<std::size_t>(size));
    length_ = std::count_if(joined_.begin() + static_cast<std::ptrdiff_t>(start_), joined_.end(),
                            [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; });
  }

  std::string& joined_;
  std::size_t start_;
  std::int64_t length_ = 0;
  bool has_marks_ = false;
  bool is_unicode_ = true;
  bool ends_in_sigma_ = false;
};

}  // namespace

Words::Words(std::string_view text, std::int64_t min_length) {
  joined_.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    WordBuilder word(joined_);
    while (at < text.size()) {
      const TextCharacter character = character_at(text, at);
      const CharacterRole role = role_of(character.code);
      if (role == CharacterRole::separator || (word.is_empty() && role != CharacterRole::word)) {
        break;
      }
      word.add(character, role, text.substr(at));
      at += character.bytes;
    }
    if (word.is_empty()) {
      at += character_at(text, at).bytes;
    } else if (word.finish() >= min_length) {
      starts_.push_back(word.start());
      places_.push_back({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(at)});
      joined_ += ' ';
    } else {
      word.drop();
    }
  }
  starts_.push_back(joined_.size());
}

}  // namespace mercer
