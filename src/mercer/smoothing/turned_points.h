// The points of a kernel density with some of its columns first, in units of the bandwidth: u = L^−1 x with L the factor
// of H in that order of columns. The first coordinates of u are then those of the marginal on these columns, and what
// follows is the rest of a radial kernel given them: what marginal densities and conditional draws start from.
#pragma once

#include <span>
#include <vector>

#include "mercer/smoothing/kernel_density.h"

namespace mercer {

struct TurnedPoints {
  Bandwidth bandwidth;             ///< in the new order
  std::vector<AxisBounds> bounds;  ///< of the kept columns in units of the bandwidth; empty: none
  ImagedPoints images;

  /// The first coordinates of places that hold the kept columns alone, moved into [0, period) along circles.
  Matrix<double> whitened(ConstMatrixView<double> places) const;
};

/// `order` names every column once; ends and circles count along the first `kept` of them, since images along a column
/// that is integrated out or drawn add up to the whole line. O(n d²).
TurnedPoints turned_points(const KernelDensity& density, std::span<const Index> order, Index kept);

}  // namespace mercer
