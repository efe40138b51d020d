// The numbers that an option takes: an interval, each end in it or not. Not a number and infinities never are.
#pragma once

#include <limits>
#include <string>

#include "mercer/kernels/parameter.h"

namespace mercer {

struct Limits {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool lowest_is_in = true;
  bool highest_is_in = true;
  bool whole = false;

  constexpr Limits() = default;
  /// The one-sided limits that parameters of kernels have, too.
  constexpr Limits(Constraint constraint) {  // NOLINT(google-explicit-constructor): tables name constraints
    if (constraint == Constraint::any) {
      return;
    }
    const bool positive = constraint == Constraint::positive || constraint == Constraint::positive_integer;
    lowest = 0;
    lowest_is_in = !positive;
    whole = constraint == Constraint::positive_integer || constraint == Constraint::nonnegative_integer;
  }

  static constexpr Limits from(double lowest) { return {lowest, std::numeric_limits<double>::infinity(), true, true}; }
  static constexpr Limits from_to(double lowest, double highest) { return {lowest, highest, true, true}; }
  static constexpr Limits from_to_below(double lowest, double highest) { return {lowest, highest, true, false}; }
  static constexpr Limits above_to(double lowest, double highest) { return {lowest, highest, false, true}; }
  static constexpr Limits between(double lowest, double highest) { return {lowest, highest, false, false}; }

  bool allow(double value) const;
  /// What is allowed, for messages: "a number above 0 and at most 1".
  std::string text() const;

 private:
  constexpr Limits(double from, double to, bool from_is_in, bool to_is_in)
      : lowest(from), highest(to), lowest_is_in(from_is_in), highest_is_in(to_is_in) {}
};

/// The same for an option that is an Index.
Limits whole_numbers(Limits limits);

}  // namespace mercer
