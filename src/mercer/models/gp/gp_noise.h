// What is known of the noise of a Gaussian process regression, in the user's units, as parameters of kernels are written:
// "0.1" to start from, "0.1!" known, "0.1 in 0.01..1" learnt within bounds, nothing where the data decide.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mercer/kernels/parameter.h"

namespace mercer {

class GpNoise {
 public:
  GpNoise() = default;  ///< not given: learnt from a tenth of the variance of y
  /// InvalidArgument for variances that are negative or not finite, and bounds that do not hold the variance.
  static GpNoise starting_at(double variance);
  static GpNoise known(double variance);
  static GpNoise within(double variance, Interval bounds);
  static GpNoise parse(std::string_view text);

  /// As the user wrote it.
  const std::string& text() const { return text_; }

  bool is_given() const { return !text_.empty(); }
  double variance() const { return variance_; }
  /// 0 is known: the search has no logarithm of it.
  bool is_known() const { return is_given() && (fixed_ || variance_ == 0); }
  const std::optional<Interval>& bounds() const { return bounds_; }

 private:
  GpNoise(const ParameterValue& value, std::string_view text);

  std::string text_;
  double variance_ = 0;
  bool fixed_ = false;
  std::optional<Interval> bounds_;
};

}  // namespace mercer
