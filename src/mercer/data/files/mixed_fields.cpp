#include "mercer/data/files/mixed_fields.h"

#include <algorithm>
#include <cctype>

namespace mercer {

namespace {

constexpr Index rows_per_level = 4;
// Words among numbers, of which more than this part is no slip.
constexpr double part_of_slips = 0.05;
constexpr std::size_t longest_code = 20;

bool is_numeral(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool may_be_code(std::string_view text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '/' || c == '.';
  };
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  return text.size() <= longest_code && std::ranges::all_of(text, fits) && std::ranges::any_of(text, is_numeral) &&
         std::ranges::any_of(text, is_letter);
}

void MixedFields::add_number(std::string_view text) {
  ++numbers_;
  are_whole_ = are_whole_ && std::ranges::all_of(text, is_numeral);
  has_padding_ = has_padding_ || (are_whole_ && text.size() > 1 && text.front() == '0');
}

void MixedFields::look_at_word(std::string_view text) {
  are_codes_ = are_codes_ && may_be_code(text);
  if (different_.size() <= static_cast<std::size_t>(marked_levels)) {
    different_.emplace(text);
  }
}

bool MixedFields::are_few_levels(Index levels, Index rows) {
  return levels <= few_levels && rows_per_level * levels <= rows;
}

Mixture MixedFields::judge(Index levels, Index rows) const {
  if (words_ == 0 || numbers_ <= words_) {
    return Mixture::none;
  }
  if (levels > 0 && are_few_levels(levels, rows)) {
    return Mixture::few_levels;
  }
  const bool come_again = levels > 0 && rows_per_level * levels <= rows;
  // On the average twice, as slips do not.
  const bool words_come_again = 2 * static_cast<Index>(different_.size()) <= words_;
  if (words_come_again && are_codes_so_far()) {
    return Mixture::codes;
  }
  if (words_come_again && come_again && levels <= marked_levels) {
    return Mixture::marked_levels;
  }
  const auto numbers = static_cast<double>(numbers_);
  const Index most_slips = std::max<Index>(1, static_cast<Index>(part_of_slips * numbers));
  return words_ <= most_slips ? Mixture::slips : Mixture::many;
}

}  // namespace mercer
