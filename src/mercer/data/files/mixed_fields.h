// MixedFields: what a column of numbers and words is meant as. Its fields are counted one by one, and judged at the end:
//
//   few levels     at most 50 different fields, each four times: categories (2, 3, 4, 5more)
//   codes          whole numbers, and words of digits and letters that come again (136, 136A): categories
//   marked levels  words that come again among at most 200 different fields, each four times: categories
//   slips          other words, where they are few: one in twenty, or one
//   many           other words
//
// Codes and levels are categories on the ground of a few fields alone, and many words make words of numbers: whoever reads
// such a column says so.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/base/index.h"

namespace mercer {

enum class Mixture { none, few_levels, codes, marked_levels, slips, many };

/// Digits with letters: 136A, c168, 5more, A-17.
bool may_be_code(std::string_view text);

class MixedFields {
 public:
  /// A field that is a number.
  void add_number(std::string_view text);
  /// A field that is none. `place()` is asked for the first one.
  template <class Place>
  void add_word(std::string_view text, Place place) {
    if (words_++ == 0) {
      first_place_ = place();
      first_ = std::string(text.substr(0, 40));
    }
    look_at_word(text);
  }

  Index numbers() const { return numbers_; }
  Index words() const { return words_; }
  const std::string& first_word() const { return first_; }
  const FilePlace& first_place() const { return first_place_; }
  bool are_codes_so_far() const { return are_whole_ && are_codes_; }
  /// Whether some whole number begins with 0, which its value does not tell.
  bool has_padded_numbers() const { return has_padding_; }

  /// Where numbers are more than words. `levels`: the number of different fields; 0: too many to be categories. `rows`: of
  /// the column.
  Mixture judge(Index levels, Index rows) const;

  /// Whether a column of so many different fields, each of which comes again, is one of categories whatever they are.
  static bool are_few_levels(Index levels, Index rows);

  static constexpr Index few_levels = 50;
  static constexpr Index marked_levels = 200;

 private:
  void look_at_word(std::string_view text);

  Index numbers_ = 0;
  Index words_ = 0;
  bool are_whole_ = true;  // the numbers
  bool has_padding_ = false;
  bool are_codes_ = true;                           // the words
  std::unordered_set<std::string> different_ = {};  // words, as long as they are few
  FilePlace first_place_;
  std::string first_;
};

}  // namespace mercer
