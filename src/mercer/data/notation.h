// Notation: how the fields of a column write numbers, beside the plain way: with separators of thousands, with a decimal
// comma, as dates or times of day. One notation holds for a whole column, or none does; the model keeps it and reads
// later files by it.
//
//   grouped         1,234,567.8      groups of three throughout
//   decimal_comma   1.234.567,8      the groups may be left out
//   date            2014-05-21, 2014/05/21, 2014-05, 21 May 2014, May 21, 2014: days since 1970-01-01
//   day_first       21/05/2014, 21.05.2014
//   month_first     05/21/2014
//   time            13:45, 13:45:30.5, 1:45 PM: hours since midnight
//   length          1 days 12:00:00: days; never looked for, only where a front says that these are lengths of time
//   truth           True, FALSE, 1, 0: 1 and 0; never looked for either, since truth values of files are categories
//
// Behind a date may stand a time, after a blank or T, with Z or an offset as in +02:00: then days have fractions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "mercer/base/words.h"

namespace mercer {

enum class Notation { plain, grouped, decimal_comma, date, day_first, month_first, time, length, truth };
constexpr auto words_of(Notation) {
  return std::array{Word{Notation::plain, "plain"},
                    Word{Notation::grouped, "grouped"},
                    Word{Notation::decimal_comma, "decimal comma"},
                    Word{Notation::date, "date"},
                    Word{Notation::day_first, "day first"},
                    Word{Notation::month_first, "month first"},
                    Word{Notation::time, "time"},
                    Word{Notation::length, "length of time"},
                    Word{Notation::truth, "truth value"}};
}
constexpr std::string_view to_string(Notation notation) { return word_of(notation); }

constexpr bool is_date(Notation notation) {
  return notation == Notation::date || notation == Notation::day_first || notation == Notation::month_first;
}

/// The number that the whole text writes in this notation; nothing where it does not. Plain NaN is no number.
std::optional<double> parse_noted(std::string_view text, Notation notation);

/// The same of a file that comes after the one whose notation it is: beside separators of thousands plain numbers are read,
/// too, which cannot be taken for others.
std::optional<double> parse_as_in(std::string_view text, Notation notation);
/// What is the matter with a text that neither reads, to be set behind it: "is no date as …".
std::string refusal_of(std::string_view text, Notation notation);

/// Which notation all texts of a column share.
class NotationFinder {
 public:
  /// A decimal comma is possible only where commas do not separate fields; `likely`: where semicolons do.
  enum class DecimalComma { impossible, possible, likely };
  enum class Wanted { all, dates, numbers };
  NotationFinder(Wanted wanted, DecimalComma comma);

  void add(std::string_view text);
  /// Whether some notation is left.
  bool is_open() const;

  struct Finding {
    Notation notation = Notation::plain;  ///< plain: none of the others
    /// plain, though days and months could be told if they were written otherwise; or one of two readings of a comma.
    enum class Doubt { none, day_or_month, comma } doubt = Doubt::none;
  };
  Finding find() const;

 private:
  std::array<bool, words_of(Notation{}).size()> possible_{};
  DecimalComma comma_;
  bool any_ = false;
  bool has_group_ = false;  // a comma stands somewhere
  bool has_mark_ = false;   // a comma, or two points
};

/// Parts of dates that come again: the day of the year, from 1; the day of the week, from 1, Monday; the hour of the day.
enum class DatePart { none, yearday, weekday, hour };
constexpr auto words_of(DatePart) {
  return std::array{Word{DatePart::none, "none"}, Word{DatePart::yearday, "yearday"},
                    Word{DatePart::weekday, "weekday"}, Word{DatePart::hour, "hour"}};
}
constexpr std::string_view to_string(DatePart part) { return word_of(part); }

/// Of days since 1970-01-01; NaN of NaN.
double part_of_date(double days, DatePart part);

}  // namespace mercer
