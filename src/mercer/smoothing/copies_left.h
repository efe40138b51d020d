// Leaving one out where weights count copies: the others stay.
#pragma once

#include <algorithm>

namespace mercer {

/// What is left of a point of this weight when one copy is taken away: w − 1, and nothing of a weight of 1 or less.
inline double copies_left(double weight) { return std::max(0.0, weight - 1); }

}  // namespace mercer
