// Tokens of the kernel language (grammar: kernels/spec.h), and errors that point at a character of the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer {

enum class SpecTokenKind { number, name, quoted, symbol, end };

struct SpecToken {
  SpecTokenKind kind = SpecTokenKind::end;
  std::string_view text;   ///< as written, with the quotes
  std::size_t offset = 0;  ///< bytes before it

  bool is(SpecTokenKind wanted) const { return kind == wanted; }
  bool is_symbol(std::string_view symbol) const { return kind == SpecTokenKind::symbol && text == symbol; }
  bool is_name(std::string_view name) const { return kind == SpecTokenKind::name && text == name; }
};

/// Cuts text into tokens, one at a time. White space separates and is otherwise free. Copies are cheap: look-ahead is
/// a copy that goes on alone.
class SpecLexer {
 public:
  /// The text must outlive the lexer.
  explicit SpecLexer(std::string_view text);

  const SpecToken& peek() const { return token_; }
  /// The token after the next one.
  SpecToken peek_second() const;
  SpecToken take();

  std::string_view text() const { return text_; }

 private:
  void advance();
  SpecToken scan_number() const;
  SpecToken scan_quoted() const;
  SpecToken scan_symbol() const;

  std::string_view text_;
  std::size_t position_ = 0;
  SpecToken token_;
};

/// The text between the quotes, with \" \\ \/ \n \t replaced. Other escapes throw.
std::string unquoted(std::string_view text, const SpecToken& token);

/// Throws InvalidArgument of three lines: the message, the text (or a window of a long one), a caret under `offset`.
[[noreturn]] void reject_spec(std::string_view text, std::size_t offset, std::string_view message);

/// A token as it is named in messages: "'+'", "a quoted name", "the end".
std::string described(const SpecToken& token);

}  // namespace mercer
