#include "mercer/models/density/column_numbers.h"

#include <cmath>
#include <optional>

#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr std::string_view no_number = "none";

}  // namespace

ColumnNumbers::ColumnNumbers(std::vector<double> numbers) : numbers_(std::move(numbers)) {
  std::vector<std::string> words;
  for (const double number : numbers_) {
    words.push_back(std::isnan(number) ? std::string(no_number) : shortest(number));
  }
  text_ = join(words, ",");
}

ColumnNumbers ColumnNumbers::parse(OptionName name, std::string_view text) {
  ColumnNumbers result;
  result.text_ = std::string(text);
  if (text.empty()) {
    return result;
  }
  for (const std::string& item : split(text, ',')) {
    const std::string_view word = trim(item);
    if (word == no_number) {
      result.numbers_.push_back(none);
      continue;
    }
    const std::optional<double> number = parse_double(word);
    if (!number || !std::isfinite(*number)) {
      reject_argument(name.option, text, "a number, or one number or none per column, as in 0,none,1");
    }
    result.numbers_.push_back(*number);
  }
  return result;
}

std::vector<double> ColumnNumbers::of_columns(std::string_view option, Index columns) const {
  return one_per_column(option, text_, numbers_, columns);
}

}  // namespace mercer
