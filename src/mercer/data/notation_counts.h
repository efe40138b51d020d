// NotationCounts: how many fields of a column are written in each notation, where not all share one: a column of dates in
// which some entry is none.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/index.h"
#include "mercer/data/notation.h"

namespace mercer {

/// Most fields are written in a notation and some are not.
struct BrokenNotation {
  Notation notation = Notation::plain;
  Index fits = 0;   ///< fields in this notation; of dates, all that are dates in some notation
  Index fails = 0;  ///< and in none
  /// The first field that is not written as most are.
  FilePlace place;
  std::string text;
};

class NotationCounts {
 public:
  /// Fields of this text, the first of which stands at `place()`.
  template <class Place>
  void add(std::string_view text, Index fields, Place place) {
    const Fits fits = look_at(text, fields);
    for (std::size_t n = 0; n < counts_.size(); ++n) {
      Count& count = counts_[n];
      if (!fits[n] && count.fails == fields) {
        count.place = place();
        count.text = std::string(text.substr(0, 40));
      }
    }
  }

  /// The notation of more than half of the fields, some of which plain numbers are not; of dates in several notations the
  /// most frequent one. Nothing where all fields or only few share one.
  std::optional<BrokenNotation> find(NotationFinder::Wanted wanted, NotationFinder::DecimalComma comma) const;

 private:
  static constexpr std::size_t notations = words_of(Notation{}).size();
  using Fits = std::array<bool, notations>;
  struct Count {
    Index fits = 0;
    Index fails = 0;
    Index marked = 0;  // fits that are no plain numbers
    FilePlace place;
    std::string text;
  };
  Fits look_at(std::string_view text, Index fields);

  std::vector<Count> counts_;  // of every notation, once there is a field: columns may be very many
  Index dates_ = 0;
  Index fields_ = 0;
};

}  // namespace mercer
