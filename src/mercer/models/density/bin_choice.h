// The bins of a histogram as an option gives them: a rule that counts them ("fd"), a number for all columns ("10"), or
// one per column ("10,20").
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mercer/smoothing/histogram.h"

namespace mercer {

class BinChoice {
 public:
  BinChoice(BinRule rule);  // NOLINT(google-explicit-constructor): an option is set to a rule
  /// InvalidArgument unless numbers are positive.
  BinChoice(Index count)  // NOLINT(google-explicit-constructor): an option is set to a number
      : BinChoice(std::vector<Index>{count}) {}
  BinChoice(std::vector<Index> counts);  // NOLINT(google-explicit-constructor): an option is set to numbers
  /// InvalidArgument also for a text that is none of these.
  static BinChoice parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// Of every column. InvalidArgument where numbers are of other columns.
  std::vector<std::vector<double>> edges(ConstMatrixView<double> points, std::span<const double> weights) const;

 private:
  std::variant<BinRule, std::vector<Index>> value_;
  std::string text_;
};

}  // namespace mercer
