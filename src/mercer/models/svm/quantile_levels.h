// The levels of quantiles, as the option `quantiles` gives them: "0.05,0.5,0.95", in any order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/models/option_value.h"

namespace mercer {

class QuantileLevels {
 public:
  /// 0.05, 0.25, 0.5, 0.75, 0.95.
  QuantileLevels() : QuantileLevels(std::vector<double>{0.05, 0.25, 0.5, 0.75, 0.95}) {}
  /// InvalidArgument unless there is at least one, each is between 0 and 1, and no two are equal.
  QuantileLevels(std::vector<double> levels);  // NOLINT(google-explicit-constructor): an option is set to numbers
  /// InvalidArgument that names the option, also for a text that is no list of numbers.
  static QuantileLevels parse(OptionName name, std::string_view text);

  /// Ascending.
  const std::vector<double>& values() const { return levels_; }
  Index count() const { return static_cast<Index>(levels_.size()); }
  /// Which one is nearest to a half, the lower of two that are as near.
  Index middle() const;
  /// Ascending, in shortest round-trip numbers.
  std::string text() const;

 private:
  std::vector<double> levels_;
};

}  // namespace mercer
