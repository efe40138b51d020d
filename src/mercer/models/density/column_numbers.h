// Numbers of columns as options give them: one for all columns, or one per column, with "none" where a column has none:
// "0", "0,none,1".
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/index.h"
#include "mercer/models/option_value.h"

namespace mercer {

class ColumnNumbers {
 public:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  /// Nothing is given, for no column.
  ColumnNumbers() = default;
  /// For all columns.
  ColumnNumbers(double number)  // NOLINT(google-explicit-constructor): an option is set to a number
      : ColumnNumbers(std::vector<double>{number}) {}
  /// For every column, or `none`.
  ColumnNumbers(std::vector<double> numbers);  // NOLINT(google-explicit-constructor): an option is set to numbers
  /// InvalidArgument that names the option.
  static ColumnNumbers parse(OptionName name, std::string_view text);

  const std::string& text() const { return text_; }
  bool empty() const { return numbers_.empty(); }
  /// One for each. InvalidArgument where it is a list of another length; `option` is named.
  std::vector<double> of_columns(std::string_view option, Index columns) const;

 private:
  std::vector<double> numbers_;
  std::string text_;
};

/// A single number stands for all columns. InvalidArgument where there are several, but not one per column; the option
/// and its text are named.
template <class Number>
std::vector<Number> one_per_column(std::string_view option, std::string_view text, std::vector<Number> numbers,
                                   Index columns) {
  if (numbers.size() == 1) {
    numbers.resize(columns, numbers.front());
  }
  if (static_cast<Index>(numbers.size()) != columns) {
    reject_argument(option, text,
                    "one number for all columns, or one for each of the " + std::to_string(columns) + " columns");
  }
  return numbers;
}

}  // namespace mercer
