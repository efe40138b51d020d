// Words of a text, as the text kernels count them.
//
// A word is a run of word characters, at least `min_length` characters long, in lower case. Word characters are those of
// ASCII's \w (letters, digits, underscore) and every other character of UTF-8 but spaces, punctuation and symbols of
// these blocks: U+0080–U+00BF (without ª µ º), × ÷, U+2000–U+206F, U+20A0–U+20CF, U+2190–U+2BFF, U+3000–U+303F,
// U+FE30–U+FE4F, U+FF00–U+FF0F, U+FF1A–U+FF20, U+FF3B–U+FF40, U+FF5B–U+FF65. Bytes that are not UTF-8 count as letters
// of their own, so that texts in other encodings fall into words at blanks and ASCII punctuation. Lower case: letters
// of the Latin, Greek, Cyrillic and Armenian blocks, one by one; not those without a regular partner (parts of Latin
// Extended-B, polytonic Greek).
//
// For ASCII text and min_length = 2 these are the tokens of scikit-learn's pattern \b\w\w+\b.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Bytes [begin, end) of the text.
struct TextSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The words of one text, in lower case, back to back in one buffer.
class Words {
 public:
  /// O(length). Throws nothing for any bytes.
  Words(std::string_view text, std::int64_t min_length);

  std::size_t size() const { return places_.size(); }
  std::string_view operator[](std::size_t w) const { return gram(w, 1); }
  /// Words first … first + count − 1 joined by single blanks.
  std::string_view gram(std::size_t first, std::size_t count) const {
    return std::string_view(joined_).substr(starts_[first], starts_[first + count] - 1 - starts_[first]);
  }
  /// Where the gram stands in the text.
  TextSpan place(std::size_t first, std::size_t count) const {
    return {places_[first].begin, places_[first + count - 1].end};
  }

  /// Calls f(first, count) for every gram of 1 … longest words, by their beginnings.
  template <class F>
  void for_each_gram(std::size_t longest, F f) const {
    for (std::size_t first = 0; first < size(); ++first) {
      for (std::size_t count = 1; count <= longest && first + count <= size(); ++count) {
        f(first, count);
      }
    }
  }

 private:
  std::string joined_;               // every word followed by one blank
  std::vector<std::size_t> starts_;  // of the words in joined_, and its length
  std::vector<TextSpan> places_;
};

}  // namespace mercer
