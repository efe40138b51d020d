// A tube so wide that it holds all targets around a constant: regression that does not look at its samples.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "mercer/base/text.h"
#include "mercer/models/model.h"

namespace mercer {

/// Notes every target whose values are all within epsilon of one constant: that makes no error, costs nothing, and is
/// what a machine with an offset of its own becomes.
inline void note_wide_tubes(const Targets& targets, std::span<const Index> rows, double epsilon, FitReport& report) {
  const Matrix<double> values = targets.values();
  for (Index o = 0; o < values.columns(); ++o) {
    double least = std::numeric_limits<double>::infinity();
    double largest = -least;
    for (const Index row : rows) {
      least = std::min(least, values(row, o));
      largest = std::max(largest, values(row, o));
    }
    if (largest - least <= 2 * epsilon) {
      report.notes.push_back("epsilon = " + shortest(epsilon) + " is at least half the range of " +
                             targets.columns()[o].name + ", " + shortest(largest - least) +
                             ": a constant makes no error, and is the model. Make epsilon smaller");
    }
  }
}

}  // namespace mercer
