// Units for sums of squares: numbers divided by a power of two near the largest of them keep all their bits, and their
// squares neither overflow nor vanish.
#pragma once

#include <algorithm>
#include <cmath>

namespace mercer {

/// 2^e with 2^e ≤ largest < 2^(e+1), at most 2^1022 so that dividing by it is exact; 1 unless `largest` is positive and
/// finite.
inline double power_of_two_near(double largest) {
  return largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, std::min(std::ilogb(largest), 1022)) : 1.0;
}

}  // namespace mercer
