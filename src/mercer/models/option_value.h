// How the value of an option is read, written and checked, by its type: numbers, optional numbers, whole numbers, yes/no,
// words (enums with words_of, base/words.h), texts, and types with a small language of their own (parse and text).
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/text.h"
#include "mercer/base/words.h"
#include "mercer/models/option_limits.h"

namespace mercer {

/// An option, for messages: "svc: C".
struct OptionName {
  std::string_view model;
  std::string_view option;
};

/// A type whose values are read from and written to a text of their own: "balanced", "spam:5,ham:1". parse() throws
/// InvalidArgument that names the option and says what is wrong with the text.
template <class T>
concept OptionLanguage = requires(const T& value, std::string_view text) {
  { T::parse(text) } -> std::same_as<T>;
  { value.text() } -> std::convertible_to<std::string>;
};

/// The same where several options have one language: parse() is told which of them it reads.
template <class T>
concept SharedOptionLanguage = requires(const T& value, OptionName name, std::string_view text) {
  { T::parse(name, text) } -> std::same_as<T>;
  { value.text() } -> std::convertible_to<std::string>;
};

[[noreturn]] void reject_option(OptionName name, std::string_view value, std::string_view allowed);

/// What the value of an option is.
enum class OptionKind { number, whole_number, yes_no, word, text };

/// One specialisation per type: kind, type() as listings print it, words(), text(value), parse(name, text, limits), and
/// check(name, value, limits), which throws as parse() does for a value that a program put there.
template <class T>
struct OptionValue;

template <>
struct OptionValue<double> {
  static constexpr OptionKind kind = OptionKind::number;
  static std::string type() { return "number"; }
  static std::vector<std::string> words() { return {}; }
  static std::string text(double value) { return shortest(value); }
  static double parse(OptionName name, std::string_view text, const Limits& limits);
  static void check(OptionName name, double value, const Limits& limits);
};

template <>
struct OptionValue<std::optional<double>> {
  static constexpr OptionKind kind = OptionKind::number;
  static std::string type() { return "number"; }
  static std::vector<std::string> words() { return {}; }
  static std::string text(std::optional<double> value) { return value ? shortest(*value) : std::string(); }
  static std::optional<double> parse(OptionName name, std::string_view text, const Limits& limits) {
    return OptionValue<double>::parse(name, text, limits);
  }
  static void check(OptionName name, std::optional<double> value, const Limits& limits) {
    if (value) {
      OptionValue<double>::check(name, *value, limits);
    }
  }
};

template <>
struct OptionValue<Index> {
  static constexpr OptionKind kind = OptionKind::whole_number;
  static std::string type() { return "integer"; }
  static std::vector<std::string> words() { return {}; }
  static std::string text(Index value) { return std::to_string(value); }
  static Index parse(OptionName name, std::string_view text, const Limits& limits);
  static void check(OptionName name, Index value, const Limits& limits);
};

template <>
struct OptionValue<bool> {
  static constexpr OptionKind kind = OptionKind::yes_no;
  static std::string type() { return "yes/no"; }
  static std::vector<std::string> words() { return {"yes", "no"}; }
  static std::string text(bool value) { return value ? "yes" : "no"; }
  static bool parse(OptionName name, std::string_view text, const Limits& limits);
  static void check(OptionName /*name*/, bool /*value*/, const Limits& /*limits*/) {}
};

template <>
struct OptionValue<std::string> {
  static constexpr OptionKind kind = OptionKind::text;
  static std::string type() { return "text"; }
  static std::vector<std::string> words() { return {}; }
  static std::string text(const std::string& value) { return value; }
  static std::string parse(OptionName /*name*/, std::string_view text, const Limits& /*limits*/) {
    return std::string(text);
  }
  static void check(OptionName /*name*/, const std::string& /*value*/, const Limits& /*limits*/) {}
};

[[noreturn]] void reject_word(OptionName name, std::string_view text, const std::vector<std::string>& words);
/// reject_word() where the text is none of the words.
void require_word(OptionName name, std::string_view text, const std::vector<std::string>& words);

template <HasWords Enum>
struct OptionValue<Enum> {
  static constexpr OptionKind kind = OptionKind::word;
  static std::string type() { return join(all_words<Enum>(), " | "); }
  static std::vector<std::string> words() { return all_words<Enum>(); }
  static std::string text(Enum value) { return std::string(word_of(value)); }
  static Enum parse(OptionName name, std::string_view text, const Limits& /*limits*/) {
    const std::optional<Enum> value = find_word<Enum>(text);
    if (!value) {
      reject_word(name, text, words());
    }
    return *value;
  }
  static void check(OptionName name, Enum value, const Limits& /*limits*/) {
    if (word_of(value).empty()) {
      reject_word(name, std::to_string(static_cast<long long>(value)), words());
    }
  }
};

template <OptionLanguage T>
struct OptionValue<T> {
  static constexpr OptionKind kind = OptionKind::text;
  static std::string type() { return "text"; }
  static std::vector<std::string> words() { return {}; }
  static std::string text(const T& value) { return value.text(); }
  static T parse(OptionName /*name*/, std::string_view text, const Limits& /*limits*/) { return T::parse(text); }
  static void check(OptionName /*name*/, const T& /*value*/, const Limits& /*limits*/) {}
};

template <SharedOptionLanguage T>
struct OptionValue<T> {
  static constexpr OptionKind kind = OptionKind::text;
  static std::string type() { return "text"; }
  static std::vector<std::string> words() { return {}; }
  static std::string text(const T& value) { return value.text(); }
  static T parse(OptionName name, std::string_view text, const Limits& /*limits*/) { return T::parse(name, text); }
  static void check(OptionName /*name*/, const T& /*value*/, const Limits& /*limits*/) {}
};

}  // namespace mercer
