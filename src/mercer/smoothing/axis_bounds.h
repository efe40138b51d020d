// Where a density lives along each axis: everywhere, on a half line or an interval (what a kernel spreads over the end is
// reflected back), or on a circle. All three are images of the points: a point x between the ends a and b also stands at
// 2a − x, 2b − x and so on, that is, on a circle of length 2(b − a); on a circle of length p it stands at x + kp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/smoothing/smoothing_kernel.h"

namespace mercer {

/// NaN: no such end, no period. A period excludes ends.
struct AxisBounds {
  double lower;
  double upper;
  double period;

  AxisBounds();
  bool is_free() const;
  bool contains(double x) const;
};

/// InvalidArgument for ends out of order and periods that are not positive.
void require_valid(std::span<const AxisBounds> bounds, Index dimension);

struct ImagedPoints {
  Matrix<double> points;    ///< in units of the bandwidth
  std::vector<Index> rows;  ///< the point that each is an image of
};

/// The points and the images that reach a query inside the bounds. Points, ends and periods in units of the bandwidth;
/// periodic points are moved into [0, period). `largest_scale` is the largest of per-point scales (1 without). Images
/// beyond what a kernel reaches are left out: nothing for bounded kernels, below 1e-17 of the nearest image for the
/// gaussian, below 1e-17 κ(0) for the exponential. DataError for a point outside the ends; InvalidArgument for more than
/// 1000 images per point.
ImagedPoints with_images(ConstMatrixView<double> points, std::span<const AxisBounds> bounds,
                         const SmoothingKernel& kernel, double largest_scale);

/// Puts a coordinate back between the ends by reflection, or into [0, period).
double folded(double x, const AxisBounds& bounds);

}  // namespace mercer
