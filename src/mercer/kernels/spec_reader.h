// The small pieces of the kernel language: numbers, values of parameters, column subscripts (grammar: kernels/spec.h).
// The parser in spec.cpp puts them together.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/parameter.h"
#include "mercer/kernels/spec_lexer.h"

namespace mercer {

/// Reads from the front of a text; whatever does not fit throws InvalidArgument that points at it.
class SpecReader {
 public:
  /// The text must outlive the reader.
  explicit SpecReader(std::string_view text) : lexer_(text) {}

  SpecLexer& lexer() { return lexer_; }
  const SpecLexer& lexer() const { return lexer_; }

  [[noreturn]] void reject(std::size_t offset, std::string_view message) const;
  /// Says what was expected in place of the next token, and what may have been meant.
  [[noreturn]] void unexpected(const std::string& expected) const;
  /// Runs what checks values, and points at `offset` if it complains.
  template <class Function>
  auto at(std::size_t offset, Function function) const {
    try {
      return function();
    } catch (const InvalidArgument& error) {
      reject(offset, error.what());
    }
  }
  /// " Did you mean …?", but not for names of absurd length, where the search for the nearest would take long.
  static std::string suggestion(std::string_view name, std::span<const std::string> candidates);

  /// Takes the symbol if it is next.
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol, const std::string& expected);

  /// Whether a number, with or without sign, is next.
  bool at_number() const;
  /// decimal | decimal "^" decimal | "inf"
  double number();
  /// A number, or a search range where ".." follows.
  ParameterValue number_or_range();
  /// What may follow a value: "!", "in 0.1..10", in any order.
  void qualifiers(ParameterValue& value);
  /// The value of a parameter; its kind decides how words are read. Constraints are not checked.
  ParameterValue value(const ParameterSpec& spec);
  /// "[" columns "]"
  ColumnSelection columns();

 private:
  double decimal();
  double signed_decimal();
  ParameterValue list();
  ParameterValue word(const ParameterSpec& spec);
  ParameterValue symbolic(const ParameterSpec& spec);
  Index column_number();
  ColumnReference column();
  std::string column_name();
  [[noreturn]] void reject_unquoted(std::size_t begin) const;

  SpecLexer lexer_;
};

}  // namespace mercer
