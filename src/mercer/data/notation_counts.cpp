#include "mercer/data/notation_counts.h"

#include <algorithm>
#include <cctype>

namespace mercer {

namespace {

constexpr std::size_t longest_notation = 48;
// Behind so many more misses than hits nobody looks for a notation any more.
constexpr Index most_misses = 1000;

bool may_be_noted(std::string_view text) {
  return text.size() <= longest_notation &&
         std::ranges::any_of(text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

NotationCounts::Fits NotationCounts::look_at(std::string_view text, Index fields) {
  counts_.resize(notations);
  Fits fits{};
  const bool may_be = may_be_noted(text);
  const bool is_plain = may_be && parse_noted(text, Notation::plain).has_value();
  bool is_some_date = false;
  for (std::size_t n = 0; n < notations; ++n) {
    const auto notation = static_cast<Notation>(n);
    Count& count = counts_[n];
    const bool is_given_up = count.fails > count.fits + most_misses;
    fits[n] = may_be && notation != Notation::plain && !is_given_up && parse_noted(text, notation).has_value();
    (fits[n] ? count.fits : count.fails) += fields;
    count.marked += fits[n] && !is_plain ? fields : 0;
    is_some_date = is_some_date || (fits[n] && is_date(notation));
  }
  dates_ += is_some_date ? fields : 0;
  fields_ += fields;
  return fits;
}

std::optional<BrokenNotation> NotationCounts::find(NotationFinder::Wanted wanted,
                                                   NotationFinder::DecimalComma comma) const {
  std::optional<std::size_t> best;
  for (std::size_t n = 0; n < counts_.size(); ++n) {
    const auto notation = static_cast<Notation>(n);
    const bool is_number = notation == Notation::grouped || notation == Notation::decimal_comma;
    const bool is_looked_for = is_number || is_date(notation) || notation == Notation::time;
    const bool is_wanted =
        wanted == NotationFinder::Wanted::all || (wanted == NotationFinder::Wanted::numbers) == is_number;
    const bool is_possible = notation != Notation::decimal_comma || comma != NotationFinder::DecimalComma::impossible;
    if (is_looked_for && is_wanted && is_possible && counts_[n].marked > 0 &&
        (!best || counts_[n].fits > counts_[*best].fits)) {
      best = n;
    }
  }
  if (!best) {
    return std::nullopt;
  }
  const Count& count = counts_[*best];
  const auto notation = static_cast<Notation>(*best);
  const Index fits = is_date(notation) ? dates_ : count.fits;
  if (count.fails == 0 || 2 * fits <= fields_) {
    return std::nullopt;
  }
  return BrokenNotation{notation, fits, fields_ - fits, count.place, count.text};
}

}  // namespace mercer
