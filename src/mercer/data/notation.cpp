#include "mercer/data/notation.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <string>

#include "mercer/base/text.h"

namespace mercer {

namespace {

// Reads a text from its beginning, piece by piece.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool skip(char c) {
    const bool found = next() == c;
    rest_.remove_prefix(found ? 1 : 0);
    return found;
  }
  bool skip_any(std::string_view chars) { return !at_end() && chars.find(next()) != chars.npos && skip(next()); }
  void skip_blanks() {
    while (skip(' ')) {
    }
  }
  std::string_view take_while(int (*fits)(int)) {
    std::size_t length = 0;
    while (length < rest_.size() && fits(static_cast<unsigned char>(rest_[length])) != 0) {
      ++length;
    }
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  /// So many digits, at least and at most, and no more behind them.
  std::optional<int> digits(std::size_t fewest, std::size_t most) {
    const std::string_view taken = take_while(std::isdigit);
    if (taken.size() < fewest || taken.size() > most) {
      return std::nullopt;
    }
    return static_cast<int>(*parse_integer(taken));
  }

 private:
  std::string_view rest_;
};

std::optional<int> month_of(std::string_view name) {
  constexpr std::string_view months[] = {"january", "february", "march",     "april",   "may",      "june",
                                         "july",    "august",   "september", "october", "november", "december"};
  const std::string lower = lower_case(name);
  for (int m = 0; m < 12; ++m) {
    if (lower == months[m] || lower == months[m].substr(0, 3) || (lower == "sept" && m == 8)) {
      return m + 1;
    }
  }
  return std::nullopt;
}

std::optional<double> days_of(int year, int month, int day) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) {
    return std::nullopt;
  }
  return static_cast<double>(sys_days(date).time_since_epoch().count());
}

// 2014-05-21, 2014/5/21, 2014.05.21, 2014-05.
std::optional<double> year_first(Scanner& text) {
  const auto year = text.digits(4, 4);
  const char separator = text.next();
  if (!year || !text.skip_any("-/.")) {
    return std::nullopt;
  }
  const auto month = text.digits(1, 2);
  if (!month) {
    return std::nullopt;
  }
  if (separator == '-' && text.at_end()) {
    return days_of(*year, *month, 1);
  }
  const bool goes_on = text.skip(separator);
  const auto day = goes_on ? text.digits(1, 2) : std::nullopt;
  return day ? days_of(*year, *month, *day) : std::nullopt;
}

// 21 May 2014, 21-May-2014, May 21, 2014.
std::optional<double> with_month_name(Scanner& text) {
  std::optional<int> day;
  if (std::isdigit(static_cast<unsigned char>(text.next())) != 0) {
    day = text.digits(1, 2);
    text.skip_any("-/. ");
    text.skip_blanks();
  }
  const auto month = month_of(text.take_while(std::isalpha));
  text.skip_any("-/. ");
  text.skip_blanks();
  if (!day) {
    day = text.digits(1, 2);
    text.skip(',');
    text.skip_blanks();
  }
  const auto year = text.digits(4, 4);
  return day && month && year ? days_of(*year, *month, *day) : std::nullopt;
}

// 21/05/2014 and 05/21/2014; points are for days first.
std::optional<double> year_last(Scanner& text, Notation notation) {
  const auto first = text.digits(1, 2);
  const char separator = text.next();
  if (!first || !text.skip_any("/-.") || (separator == '.' && notation != Notation::day_first)) {
    return std::nullopt;
  }
  const auto second = text.digits(1, 2);
  if (!second || !text.skip(separator)) {
    return std::nullopt;
  }
  const auto year = text.digits(4, 4);
  if (!year) {
    return std::nullopt;
  }
  return notation == Notation::day_first ? days_of(*year, *second, *first) : days_of(*year, *first, *second);
}

// 13:45, 13:45:30.25, 1:45 PM; in hours.
std::optional<double> clock(Scanner& text) {
  const auto hour = text.digits(1, 2);
  if (!hour || !text.skip(':')) {
    return std::nullopt;
  }
  const auto minute = text.digits(2, 2);
  double second = 0;
  if (minute && text.skip(':')) {
    const auto whole = text.digits(2, 2);
    if (!whole || *whole > 60) {
      return std::nullopt;
    }
    second = *whole;
    if (text.skip('.')) {
      const std::string_view digits = text.take_while(std::isdigit);
      if (digits.empty()) {
        return std::nullopt;
      }
      second += *parse_double("0." + std::string(digits));
    }
  }
  Scanner behind = text;
  behind.skip_blanks();
  const std::string half = lower_case(behind.take_while(std::isalpha));
  int hours = *hour;
  if (half == "am" || half == "pm") {
    if (hours < 1 || hours > 12) {
      return std::nullopt;
    }
    hours = hours % 12 + (half == "pm" ? 12 : 0);
    text = behind;
  }
  if (!minute || *minute > 59 || hours > 23) {
    return std::nullopt;
  }
  return hours + *minute / 60.0 + second / 3600.0;
}

// "", Z, +02:00, -0530; in hours to subtract.
std::optional<double> offset(Scanner& text) {
  if (text.at_end() || text.skip('Z')) {
    return 0;
  }
  const double sign = text.next() == '-' ? -1 : 1;
  if (!text.skip_any("+-")) {
    return std::nullopt;
  }
  const std::string_view digits = text.take_while(std::isdigit);
  std::string all(digits);
  if (text.skip(':')) {
    all += text.take_while(std::isdigit);
  }
  if (all.size() != 2 && all.size() != 4) {
    return std::nullopt;
  }
  const auto hours = static_cast<double>(*parse_integer(std::string_view(all).substr(0, 2)));
  const double minutes = all.size() == 4 ? static_cast<double>(*parse_integer(std::string_view(all).substr(2))) : 0;
  return hours <= 14 && minutes < 60 ? std::optional(sign * (hours + minutes / 60)) : std::nullopt;
}

std::optional<double> parse_date(std::string_view text, Notation notation) {
  const auto date_at = [&](Scanner& scanner) -> std::optional<double> {
    if (notation != Notation::date) {
      return year_last(scanner, notation);
    }
    Scanner other = scanner;
    if (const auto days = year_first(scanner)) {
      return days;
    }
    scanner = other;
    return with_month_name(scanner);
  };
  Scanner scanner(text);
  const auto days = date_at(scanner);
  if (!days || scanner.at_end()) {
    return days;
  }
  if (!scanner.skip('T') && !scanner.skip(' ')) {
    return std::nullopt;
  }
  const auto hours = clock(scanner);
  const auto zone = hours ? offset(scanner) : std::nullopt;
  return zone && scanner.at_end() ? std::optional(*days + (*hours - *zone) / 24) : std::nullopt;
}

std::optional<double> parse_time(std::string_view text) {
  Scanner scanner(text);
  const auto hours = clock(scanner);
  return scanner.at_end() ? hours : std::nullopt;
}

// -1 days +02:03:04.5, where the clock may be absent and always counts forwards; in days.
std::optional<double> parse_length(std::string_view text) {
  Scanner scanner(text);
  const double sign = scanner.skip('-') ? -1 : 1;
  const auto days = scanner.digits(1, 9);
  scanner.skip(' ');
  const std::string_view unit = scanner.take_while(std::isalpha);
  if (!days || (unit != "days" && unit != "day")) {
    return std::nullopt;
  }
  if (scanner.at_end()) {
    return sign * *days;
  }
  const bool goes_on = scanner.skip(' ');
  scanner.skip('+');
  const auto hours = goes_on ? clock(scanner) : std::nullopt;
  return hours && scanner.at_end() ? std::optional(sign * *days + *hours / 24) : std::nullopt;
}

std::optional<double> parse_truth(std::string_view text) {
  const std::string lower = lower_case(text);
  if (lower == "true" || lower == "false") {
    return lower == "true" ? 1 : 0;
  }
  const auto value = parse_double(text);
  return value == 0.0 || value == 1.0 ? value : std::nullopt;
}

bool is_numeral(char c) { return c >= '0' && c <= '9'; }

// The digits of a whole number in groups of three, or without any groups; what follows them is left. Empty where it is
// neither. A number in groups does not begin with 0.
enum class Groups { required, optional };
std::string take_grouped(std::string_view& text, char separator, Groups groups) {
  std::size_t length = 0;
  while (length < text.size() && (is_numeral(text[length]) || text[length] == separator)) {
    ++length;
  }
  const std::string_view whole = text.substr(0, length);
  text.remove_prefix(length);
  const std::vector<std::string> parts = split(whole, separator);
  const std::string& first = parts.front();
  if (parts.size() == 1) {
    return groups == Groups::required && first.size() > 3 ? "" : first;
  }
  const bool fits =
      !first.empty() && first.size() <= 3 && first[0] != '0' &&
      std::all_of(parts.begin() + 1, parts.end(), [](const std::string& part) { return part.size() == 3; });
  return fits ? join(parts, "") : "";
}

std::optional<double> parse_marked(std::string_view text, char group, char point, Groups groups) {
  std::string plain;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    plain = text.front() == '-' ? "-" : "";
    text.remove_prefix(1);
  }
  const std::string whole = take_grouped(text, group, groups);
  if (whole.empty()) {
    return std::nullopt;
  }
  plain += whole;
  if (!text.empty() && text.front() == point) {
    text.remove_prefix(1);
    if (text.empty() || !is_numeral(text.front())) {
      return std::nullopt;
    }
    plain += '.';
  } else if (!text.empty() && text.front() != 'e' && text.front() != 'E') {
    return std::nullopt;
  }
  if (text.find_first_of(".,") != text.npos) {
    return std::nullopt;
  }
  return parse_double(plain += text);
}

}  // namespace

std::optional<double> parse_noted(std::string_view text, Notation notation) {
  switch (notation) {
    case Notation::grouped:
      return parse_marked(text, ',', '.', Groups::required);
    case Notation::decimal_comma:
      return parse_marked(text, '.', ',', Groups::optional);
    case Notation::date:
    case Notation::day_first:
    case Notation::month_first:
      return parse_date(text, notation);
    case Notation::time:
      return parse_time(text);
    case Notation::length:
      return parse_length(text);
    case Notation::truth:
      return parse_truth(text);
    case Notation::plain:
      break;
  }
  const auto value = parse_double(text);
  return value && std::isnan(*value) ? std::nullopt : value;
}

std::optional<double> parse_as_in(std::string_view text, Notation notation) {
  const auto value = parse_noted(text, notation);
  return value || notation != Notation::grouped ? value : parse_noted(text, Notation::plain);
}

std::string refusal_of(std::string_view text, Notation notation) {
  const auto reads = [&](Notation other) { return parse_noted(text, other).has_value(); };
  const auto as_trained = [](const std::string& what) { return what + "; correct the entry"; };
  const std::string number = "is not a number as the training data write this column, ";
  const std::string date = "is no date as the training data write this column, ";
  switch (notation) {
    case Notation::grouped:
      return as_trained(number + "with commas between thousands (1,234,567.8) or plain");
    case Notation::decimal_comma:
      return as_trained(number + "with a decimal comma (1.234,5)" +
                        (reads(Notation::plain) ? ", where a point stands between thousands" : ""));
    case Notation::date:
      return as_trained(date + "2014-05-21 or 21 May 2014");
    case Notation::day_first:
      return as_trained(date + "the day before the month (21/05/2014)");
    case Notation::month_first:
      return as_trained(date + "the month before the day (05/21/2014)");
    case Notation::time:
      return as_trained("is no time of day as the training data write this column, 13:45");
    case Notation::length:
      return as_trained("is no length of time as the training data write this column, 1 days 12:00:00");
    case Notation::truth:
      return as_trained("is no truth value, as the training data have in this column (True or False, 1 or 0)");
    case Notation::plain:
      break;
  }
  std::string difference;
  if (reads(Notation::grouped) || reads(Notation::decimal_comma)) {
    difference = " with a point for decimals and nothing between thousands";
  } else if (reads(Notation::date) || reads(Notation::day_first) || reads(Notation::month_first)) {
    difference = " but a date";
  } else if (reads(Notation::time)) {
    difference = " but a time";
  }
  return "is not a number" + difference + ", but the column is numeric; correct the entry";
}

NotationFinder::NotationFinder(Wanted wanted, DecimalComma comma) : comma_(comma) {
  const auto allow = [&](Notation notation) { possible_[static_cast<std::size_t>(notation)] = true; };
  if (wanted != Wanted::dates) {
    allow(Notation::grouped);
    if (comma != DecimalComma::impossible) {
      allow(Notation::decimal_comma);
    }
  }
  if (wanted != Wanted::numbers) {
    for (const Notation notation : {Notation::date, Notation::day_first, Notation::month_first, Notation::time}) {
      allow(notation);
    }
  }
}

bool NotationFinder::is_open() const {
  return std::ranges::any_of(possible_, [](bool possible) { return possible; });
}

void NotationFinder::add(std::string_view text) {
  any_ = true;
  has_group_ = has_group_ || text.find(',') != text.npos;
  has_mark_ = has_mark_ || text.find(',') != text.npos || std::ranges::count(text, '.') > 1;
  for (std::size_t n = 0; n < possible_.size(); ++n) {
    possible_[n] = possible_[n] && parse_noted(text, static_cast<Notation>(n)).has_value();
  }
}

NotationFinder::Finding NotationFinder::find() const {
  using Doubt = Finding::Doubt;
  const auto is_possible = [&](Notation notation) { return possible_[static_cast<std::size_t>(notation)]; };
  if (!any_) {
    return {};
  }
  const bool grouped = is_possible(Notation::grouped) && has_group_;
  const bool decimal = is_possible(Notation::decimal_comma) && has_mark_;
  if (grouped && decimal) {
    return {comma_ == DecimalComma::likely ? Notation::decimal_comma : Notation::grouped, Doubt::comma};
  }
  if (grouped || decimal) {
    return {grouped ? Notation::grouped : Notation::decimal_comma, Doubt::none};
  }
  if (is_possible(Notation::day_first) && is_possible(Notation::month_first)) {
    return {Notation::plain, Doubt::day_or_month};
  }
  for (const Notation notation : {Notation::date, Notation::day_first, Notation::month_first, Notation::time}) {
    if (is_possible(notation)) {
      return {notation, Doubt::none};
    }
  }
  return {};
}

double part_of_date(double days, DatePart part) {
  if (!std::isfinite(days)) {
    return days;
  }
  using namespace std::chrono;
  const double day = std::floor(days);
  const sys_days date{std::chrono::days{static_cast<int>(std::clamp(day, -1e7, 1e7))}};
  switch (part) {
    case DatePart::yearday:
      return static_cast<double>((date - sys_days(year_month_day(date).year() / January / 1)).count() + 1);
    case DatePart::weekday:
      return std::chrono::weekday(date).iso_encoding();
    case DatePart::hour:
      return 24 * (days - day);
    case DatePart::none:
      break;
  }
  return days;
}

}  // namespace mercer
