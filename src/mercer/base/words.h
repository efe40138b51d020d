// Enums that have words: what stands for their values in settings, files and messages. An enum gets them by a function
// beside it that argument-dependent lookup finds,
//
//   enum class Slack { linear, squared };
//   constexpr auto words_of(Slack) { return std::array{Word{Slack::linear, "linear"}, Word{Slack::squared, "squared"}}; }
//
// so that a word is written once, and a misspelt one does not compile.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mercer {

template <class Enum>
struct Word {
  Enum value;
  std::string_view text;
};

template <class Enum>
concept HasWords = std::is_enum_v<Enum> && requires(Enum value) {
  { words_of(value).front() } -> std::convertible_to<Word<Enum>>;
};

/// Empty for a number that is no value of the enum.
template <HasWords Enum>
constexpr std::string_view word_of(Enum value) {
  for (const Word<Enum>& word : words_of(Enum{})) {
    if (word.value == value) {
      return word.text;
    }
  }
  return {};
}

/// Nothing where no value has this word.
template <HasWords Enum>
constexpr std::optional<Enum> find_word(std::string_view text) {
  for (const Word<Enum>& word : words_of(Enum{})) {
    if (word.text == text) {
      return word.value;
    }
  }
  return {};
}

/// In the order in which they are listed.
template <HasWords Enum>
std::vector<std::string> all_words() {
  std::vector<std::string> result;
  for (const Word<Enum>& word : words_of(Enum{})) {
    result.emplace_back(word.text);
  }
  return result;
}

}  // namespace mercer
