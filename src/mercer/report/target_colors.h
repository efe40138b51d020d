// What colours the points of a picture that no prediction colours: the first target of the rows, where there is one.
#pragma once

#include <string>
#include <vector>

#include "mercer/report/report_input.h"

namespace mercer {

/// More labels than these are no colours.
inline constexpr std::size_t most_label_colors = 20;

struct TargetColors {
  std::string target;                ///< its name; empty: there is none
  std::vector<std::string> classes;  ///< labels in the order of their numbers; empty: `values` are numbers
  std::vector<std::int32_t> codes;   ///< per row, with classes
  std::vector<double> values;        ///< per row, without
};

/// Numbers of few kinds are labels as well. Nothing known: all empty.
TargetColors target_colors(const ReportInput& input);

}  // namespace mercer
