// The support vectors of a machine by kind: between the bounds of their coefficients, or at one.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/view.h"

namespace mercer {

struct SupportKinds {
  std::vector<Index> free;   ///< 0 < |β| < bound, ascending
  std::vector<Index> bound;  ///< |β| = bound, to the rounding of files and products
};

/// InvalidArgument unless there are `rows` coefficients and bounds.
SupportKinds support_kinds(std::span<const double> coefficients, std::span<const double> bounds, Index rows);

}  // namespace mercer
