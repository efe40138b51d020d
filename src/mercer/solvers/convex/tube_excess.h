// How far the targets lie outside every tube of given widths: whether a hard tube exists, and how much wider it has to be.
#pragma once

#include <optional>

#include "mercer/base/run.h"
#include "mercer/solvers/convex/shaped_tube.h"

namespace mercer {

/// The least t for which a function of the kernel and a constant is within e + t of all targets whose rows have no other way
/// out: none may be outside, and no width grows there. None where there are no such rows, or where no function and no proof
/// meet to 1e-6 of the largest |y|.
std::optional<double> least_tube_excess(const ShapedTube& problem, const Run& run);

}  // namespace mercer
