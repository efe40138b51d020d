#include "mercer/kernels/spec_reader.h"

#include <cmath>
#include <limits>

#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::size_t longest_suggested_name = 64;

}  // namespace

void SpecReader::reject(std::size_t offset, std::string_view message) const {
  reject_spec(lexer_.text(), offset, message);
}

void SpecReader::unexpected(const std::string& expected) const {
  const SpecToken& token = lexer_.peek();
  std::string hint;
  if (token.is_symbol("**")) {
    hint = ". A power is written k^2";
  } else if (token.is_symbol("-")) {
    hint = ". There is no difference of kernels; a negative scale is a number: + -1*k";
  } else if (token.is_symbol("/")) {
    hint = ". Kernels are not divided; scale by a number: 0.5*k";
  } else if (token.is_symbol("[")) {
    hint = ". Columns come before the power, or after parentheses: (k^2)[0]";
  }
  reject(token.offset, "expected " + expected + ", found " + described(token) + hint);
}

bool SpecReader::accept(std::string_view symbol) {
  if (!lexer_.peek().is_symbol(symbol)) {
    return false;
  }
  lexer_.take();
  return true;
}

void SpecReader::expect(std::string_view symbol, const std::string& expected) {
  if (!accept(symbol)) {
    unexpected(expected);
  }
}

bool SpecReader::at_number() const {
  const SpecToken& token = lexer_.peek();
  return token.is(SpecTokenKind::number) || token.is_symbol("-") || token.is_symbol("+");
}

double SpecReader::decimal() {
  if (!lexer_.peek().is(SpecTokenKind::number)) {
    unexpected("a number");
  }
  const SpecToken token = lexer_.take();
  const auto value = parse_double(token.text);
  if (!value || !std::isfinite(*value)) {
    reject(token.offset, "this number is out of range");
  }
  return *value;
}

double SpecReader::signed_decimal() {
  const bool negative = accept("-");
  if (!negative) {
    accept("+");
  }
  const double value = decimal();
  return negative ? -value : value;
}

// The sign is applied last: -2^2 is -4.
double SpecReader::number() {
  const std::size_t offset = lexer_.peek().offset;
  const bool negative = accept("-");
  const bool has_sign = negative || accept("+");
  if (has_sign && lexer_.peek().is(SpecTokenKind::name) && !lexer_.peek().is_name("inf")) {
    reject(offset, "a sign stands before a number only; a negative scale is written -1*k");
  }
  double value = std::numeric_limits<double>::infinity();
  if (lexer_.peek().is_name("inf")) {
    lexer_.take();
  } else {
    value = decimal();
    if (accept("^")) {
      value = std::pow(value, signed_decimal());
      if (!std::isfinite(value)) {
        reject(offset, "this number is out of range");
      }
    }
  }
  return negative ? -value : value;
}

void SpecReader::qualifiers(ParameterValue& value) {
  while (true) {
    if (!value.fixed && accept("!")) {
      value.fixed = true;
    } else if (!value.bounds && lexer_.peek().is_name("in")) {
      lexer_.take();
      const double lower = number();
      expect("..", "'..' between the bounds");
      value.bounds = Interval{lower, number()};
    } else {
      return;
    }
  }
}

ParameterValue SpecReader::number_or_range() {
  const double first = number();
  if (!accept("..")) {
    return ParameterValue::number(first);
  }
  ParameterValue range;
  range.search = Interval{first, number()};
  return range;
}

ParameterValue SpecReader::list() {
  std::vector<double> numbers;
  expect("[", "'['");
  do {
    numbers.push_back(number());
  } while (accept(","));
  expect("]", "',' or ']'");
  return ParameterValue::list(std::move(numbers));
}

ParameterValue SpecReader::word(const ParameterSpec& spec) {
  const SpecToken token = lexer_.peek();
  if (!token.is(SpecTokenKind::name) && !token.is(SpecTokenKind::quoted)) {
    unexpected(spec.words.empty() ? "a word" : "one of " + join(spec.words, ", "));
  }
  lexer_.take();
  return ParameterValue::of_word(token.is(SpecTokenKind::quoted) ? unquoted(lexer_.text(), token)
                                                                 : std::string(token.text));
}

ParameterValue SpecReader::symbolic(const ParameterSpec& spec) {
  const SpecToken token = lexer_.take();
  if (const auto rule = width_rule(token.text)) {
    return ParameterValue::of_width(*rule);
  }
  std::vector<std::string> words;
  if (may_be_width(spec)) {
    words = width_words(spec);
  }
  if (spec.may_be_infinite) {
    words.emplace_back("inf");
  }
  reject(token.offset, spec.name + " takes a number" + (words.empty() ? "" : " or one of " + join(words, ", ")) +
                           ", not " + described(token) + "." + suggestion(token.text, words));
}

ParameterValue SpecReader::value(const ParameterSpec& spec) {
  const SpecToken& token = lexer_.peek();
  if (spec.role == ParameterRole::word) {
    return word(spec);
  }
  ParameterValue result;
  if (token.is_symbol("[")) {
    result = list();
  } else if (token.is(SpecTokenKind::name) && token.text != "inf") {
    result = symbolic(spec);
  } else {
    result = number_or_range();
  }
  qualifiers(result);
  return result;
}

std::string SpecReader::suggestion(std::string_view name, std::span<const std::string> candidates) {
  return name.size() > longest_suggested_name ? "" : did_you_mean(name, candidates);
}

Index SpecReader::column_number() {
  const SpecToken token = lexer_.peek();
  if (!token.is(SpecTokenKind::number)) {
    unexpected("the number of a column");
  }
  lexer_.take();
  const auto value = parse_integer(token.text);
  if (!value || *value >= std::numeric_limits<std::int32_t>::max()) {
    reject(token.offset, "a column is a name or a whole number from 0");
  }
  return *value;
}

std::string SpecReader::column_name() {
  const SpecToken token = lexer_.peek();
  if (!token.is(SpecTokenKind::name) && !token.is(SpecTokenKind::quoted)) {
    unexpected("the name of a column");
  }
  lexer_.take();
  return token.is(SpecTokenKind::quoted) ? unquoted(lexer_.text(), token) : std::string(token.text);
}

ColumnReference SpecReader::column() {
  const SpecToken token = lexer_.peek();
  if (token.is(SpecTokenKind::name) || token.is(SpecTokenKind::quoted)) {
    std::string name = column_name();
    return accept(":") ? ColumnReference(ColumnNameRange{std::move(name), column_name()})
                       : ColumnReference(ColumnName{std::move(name)});
  }
  if (!token.is(SpecTokenKind::number)) {
    unexpected("a column: a name, a \"quoted name\", a number from 0 or a range 0:3");
  }
  const Index begin = column_number();
  if (!accept(":")) {
    return ColumnSpan{begin, begin + 1};
  }
  const Index end = column_number();
  if (end <= begin) {
    reject(token.offset, "an empty range of columns; 0:3 stands for 0, 1, 2");
  }
  return ColumnSpan{begin, end};
}

// Behind what was taken for a column stands something else: most likely more of its name.
void SpecReader::reject_unquoted(std::size_t begin) const {
  const std::string_view text = lexer_.text();
  const SpecToken& token = lexer_.peek();
  const std::size_t end = text.find_first_of(",]:", token.offset);
  const std::string_view name = trim(text.substr(begin, (end == text.npos ? text.size() : end) - begin));
  if (token.is(SpecTokenKind::end) || name.find('"') != name.npos || name.size() > longest_suggested_name) {
    unexpected("',' or ']' after a column");
  }
  reject(token.offset, "expected ',' or ']' after a column, found " + described(token) +
                           ". A name with blanks, dashes or other signs is quoted, [\"" + std::string(name) +
                           "\"]; in a shell the kernel then stands between single quotes");
}

ColumnSelection SpecReader::columns() {
  ColumnSelection selection;
  expect("[", "'['");
  do {
    const std::size_t begin = lexer_.peek().offset;
    selection.references.push_back(column());
    if (!lexer_.peek().is_symbol(",") && !lexer_.peek().is_symbol("]")) {
      reject_unquoted(begin);
    }
  } while (accept(","));
  expect("]", "',' or ']' after a column");
  return selection;
}

}  // namespace mercer
