// The tube within which errors of regression cost nothing: its usual width, and one so wide that it holds all targets around
// a constant, so that the samples are not looked at.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "mercer/base/text.h"
#include "mercer/models/model.h"

namespace mercer {

/// Half the width of the tube of targets that were divided by `scale`: a tenth, or what was asked for in their units
/// (docs/internals/decisions/0018-usual-tube.md).
inline double scaled_tube(std::optional<double> epsilon, double scale) { return epsilon ? *epsilon / scale : 0.1; }

/// Notes every target whose values are all within its epsilon of one constant: that makes no error, costs nothing, and is
/// what a machine with an offset of its own becomes.
inline void note_wide_tubes(const Targets& targets, std::span<const Index> rows, std::optional<double> asked,
                            std::span<const double> scales, FitReport& report) {
  const Matrix<double> values = targets.values();
  for (Index o = 0; o < values.columns(); ++o) {
    double least = std::numeric_limits<double>::infinity();
    double largest = -least;
    for (const Index row : rows) {
      least = std::min(least, values(row, o));
      largest = std::max(largest, values(row, o));
    }
    const double epsilon = asked.value_or(scaled_tube(asked, scales[o]) * scales[o]);
    if (largest - least <= 2 * epsilon) {
      const std::string& name = targets.columns()[o].name;
      const std::string target = name.empty() ? "the targets" : name;
      report.notes.push_back(largest == least
                                 ? "all values of " + target + " are equal: a constant makes no error, and is the model"
                                 : "epsilon = " + shortest(epsilon) + " is at least half the range of " + target +
                                       ", " + shortest(largest - least) +
                                       ": a constant makes no error, and is the model. Make epsilon smaller");
    }
  }
}

}  // namespace mercer
