// Which offsets cost least beside given values of a function: an interval where no row is on the margin.
#pragma once

#include <span>

#include "mercer/base/index.h"

namespace mercer {

struct OffsetInterval {
  double lower = 0;
  double upper = 0;

  double middle() const { return lower + (upper - lower) / 2; }
  /// Whether it is more than the point that rounding makes of it; `size`: of the values beside it.
  bool is_open(double size) const { return upper - lower > 1e-6 * size; }
};

/// All minimizers b of Σ_g C_g max_{i∈g} max(0, 1 − y_i(v_i + b)), to the last digits; both signs occur in `signs` of rows
/// with a group. A slope of 1e-9 of ΣC counts as none. `groups`: per row 0 … costs.size() − 1, or −1: not looked at.
OffsetInterval cheapest_offsets(std::span<const double> values, std::span<const double> signs,
                                std::span<const Index> groups, std::span<const double> costs);

}  // namespace mercer
