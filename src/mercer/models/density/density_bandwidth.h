// The bandwidth of a kernel density as an option gives it: a rule that chooses one ("silverman"), a width for all columns
// ("0.5"), one per column ("0.5,2"), or the matrix H of squared widths by rows ("4,1;1,9").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mercer/smoothing/bandwidth.h"
#include "mercer/smoothing/bandwidth_rules.h"

namespace mercer {

class DensityBandwidth {
 public:
  using Widths = std::vector<double>;
  using SquaredWidths = std::vector<std::vector<double>>;  ///< H by rows

  DensityBandwidth(BandwidthRule rule);  // NOLINT(google-explicit-constructor): an option is set to a rule
  /// InvalidArgument unless widths are positive and finite.
  DensityBandwidth(double width)  // NOLINT(google-explicit-constructor): an option is set to a number
      : DensityBandwidth(Widths{width}) {}
  DensityBandwidth(Widths widths);  // NOLINT(google-explicit-constructor): an option is set to numbers
  /// InvalidArgument unless the rows are a symmetric matrix of finite numbers.
  explicit DensityBandwidth(SquaredWidths rows);
  /// InvalidArgument also for a text that is none of these, with the nearest rule.
  static DensityBandwidth parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// Nothing where the bandwidth is given in numbers.
  std::optional<BandwidthRule> rule() const;
  /// The given numbers for so many columns; there is no rule. InvalidArgument where they are of other columns,
  /// NumericalError where H is not positive definite.
  Bandwidth given(Index columns, const Run& run) const;

 private:
  std::variant<BandwidthRule, Widths, SquaredWidths> value_;
  std::string text_;
};

}  // namespace mercer
