// Words of a text, as the text kernels count them.
//
// A word is a run of word characters, at least `min_length` characters long, in lower case. By the tables of Unicode
// (utf8proc):
//
//   letters, numbers (categories L*, N*) and _     make words
//   combining marks (M*), U+200C, U+200D            belong to the word that they follow; alone they are none
//   other format characters (Cf), soft hyphens say  inside a word are as if they were not there (but U+200B separates)
//   everything else                                 separates: blanks, punctuation, symbols, emoji
//
// Lower case is the simple mapping of every letter; a capital sigma after letters, at the end of a word, becomes ς.
// Words with combining marks are composed (NFC), so that é is one character however it was written. Bytes that are not
// UTF-8 count as letters of their own, so that texts in other encodings fall into words at blanks and ASCII punctuation.
//
// For text without combining marks and format characters, and min_length = 2, these are the tokens of scikit-learn's
// pattern \b\w\w+\b.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/kernels/string/text_span.h"

namespace mercer {

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
