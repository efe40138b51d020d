#include "mercer/kernels/spec_lexer.h"

#include <algorithm>
#include <array>

#include "mercer/base/error.h"

namespace mercer {

namespace {

// The language is ASCII outside quotes, whatever the locale.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The end of the digits that start at `begin`.
std::size_t digits_end(std::string_view text, std::size_t begin) {
  while (begin < text.size() && is_digit(text[begin])) {
    ++begin;
  }
  return begin;
}

// A piece of a long text around `offset`, cut between characters.
struct Window {
  std::size_t begin;
  std::size_t end;
};

Window window_around(std::string_view text, std::size_t offset) {
  constexpr std::size_t before = 60;
  constexpr std::size_t after = 40;
  Window window{offset > before ? offset - before : 0, std::min(text.size(), offset + after)};
  while (window.begin > 0 && continues_character(text[window.begin])) {
    --window.begin;
  }
  while (window.end < text.size() && continues_character(text[window.end])) {
    ++window.end;
  }
  return window;
}

}  // namespace

SpecLexer::SpecLexer(std::string_view text) : text_(text) { advance(); }

SpecToken SpecLexer::peek_second() const {
  SpecLexer ahead = *this;
  ahead.advance();
  return ahead.token_;
}

SpecToken SpecLexer::take() {
  const SpecToken token = token_;
  advance();
  return token;
}

void SpecLexer::advance() {
  while (position_ < text_.size() && is_blank(text_[position_])) {
    ++position_;
  }
  if (position_ == text_.size()) {
    token_ = {SpecTokenKind::end, {}, position_};
    return;
  }
  const char c = text_[position_];
  const char next = position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
  if (is_digit(c) || (c == '.' && is_digit(next))) {
    token_ = scan_number();
  } else if (is_letter(c)) {
    std::size_t end = position_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) {
      ++end;
    }
    token_ = {SpecTokenKind::name, text_.substr(position_, end - position_), position_};
  } else {
    token_ = c == '"' ? scan_quoted() : scan_symbol();
  }
  position_ += token_.text.size();
}

SpecToken SpecLexer::scan_number() const {
  std::size_t end = digits_end(text_, position_);
  // In 1..2 the points belong to the range, not to the number.
  const bool range = text_.substr(end, 2) == "..";
  if (!range && end < text_.size() && text_[end] == '.') {
    end = digits_end(text_, end + 1);
  }
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    const bool sign = end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-');
    const std::size_t exponent = end + (sign ? 2 : 1);
    if (exponent < text_.size() && is_digit(text_[exponent])) {
      end = digits_end(text_, exponent);
    }
  }
  return {SpecTokenKind::number, text_.substr(position_, end - position_), position_};
}

SpecToken SpecLexer::scan_quoted() const {
  for (std::size_t i = position_ + 1; i < text_.size(); ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == '"') {
      return {SpecTokenKind::quoted, text_.substr(position_, i + 1 - position_), position_};
    }
  }
  reject_spec(text_, position_, "this quote is not closed");
}

SpecToken SpecLexer::scan_symbol() const {
  static constexpr std::array<std::string_view, 15> symbols = {"**", "..", "+", "-", "*", "^", "(", ")",
                                                               "[",  "]",  ",", "=", ":", "!", "/"};
  for (const std::string_view symbol : symbols) {
    if (text_.substr(position_, symbol.size()) == symbol) {
      return {SpecTokenKind::symbol, text_.substr(position_, symbol.size()), position_};
    }
  }
  const bool quote = text_[position_] == '\'';
  reject_spec(text_, position_,
              quote ? "names are quoted with \", as in [\"body mass\"]"
                    : "this character has no meaning here; column names with such characters are quoted, as in "
                      "[\"body mass\"]");
}

std::string unquoted(std::string_view text, const SpecToken& token) {
  std::string result;
  for (std::size_t i = 1; i + 1 < token.text.size(); ++i) {
    if (token.text[i] != '\\') {
      result += token.text[i];
      continue;
    }
    const char escaped = token.text[++i];
    if (escaped == '"' || escaped == '\\' || escaped == '/') {
      result += escaped;
    } else if (escaped == 'n' || escaped == 't') {
      result += escaped == 'n' ? '\n' : '\t';
    } else {
      reject_spec(text, token.offset + i - 1, R"(unknown escape; there are \" \\ \/ \n \t)");
    }
  }
  return result;
}

void reject_spec(std::string_view text, std::size_t offset, std::string_view message) {
  const Window window = window_around(text, offset);
  std::string shown = window.begin > 0 ? "..." : "";
  std::string indent(shown.size(), ' ');
  for (std::size_t i = window.begin; i < window.end; ++i) {
    const bool control = static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7F;
    shown += control ? ' ' : text[i];
    if (i < offset && !continues_character(text[i])) {
      indent += ' ';
    }
  }
  shown += window.end < text.size() ? "..." : "";
  throw InvalidArgument("kernel spec: " + std::string(message) + "\n  " + shown + "\n  " + indent + "^");
}

std::string described(const SpecToken& token) {
  constexpr std::size_t longest = 40;
  if (token.is(SpecTokenKind::end)) {
    return "the end";
  }
  if (token.is(SpecTokenKind::quoted)) {
    return "a quoted name";
  }
  return "'" + std::string(token.text.substr(0, longest)) + (token.text.size() > longest ? "...'" : "'");
}

}  // namespace mercer
