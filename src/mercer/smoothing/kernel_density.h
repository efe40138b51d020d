// KernelDensity: the density that weighted points make when each is spread out by a smoothing kernel (Parzen window),
//
//   p(x) = (1/W) Σ_i w_i λ_i^−d |L|^−1 K(L^−1 (x − x_i) / λ_i),    W = Σ w_i,
//
// with bandwidth H = L Lᵀ and, for adaptive estimates, a scale λ_i per point. Along bounded axes what would lie outside is
// reflected, along periodic ones it goes around; p integrates to 1 over what is inside and is 0 elsewhere. Logarithms are
// exact however far away x is. References: Silverman (1986); Scott (1992).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/smoothing/axis_bounds.h"
#include "mercer/smoothing/bandwidth.h"
#include "mercer/smoothing/density_sum.h"
#include "mercer/smoothing/grid_density.h"

namespace mercer {

/// transform: bins, finer than the grid where that is cheap, and Fourier transforms. direct: node by node. automatic:
/// transforms where they are cheaper and no bound is above 1e-2 of the largest value (errors are some 50 times smaller).
enum class GridMethod { automatic, transform, direct };

class KernelDensity {
 public:
  struct Parts {
    SmoothingShape shape = SmoothingShape::gaussian;
    Matrix<double> points;             ///< n × d in units of the data, n ≥ 1
    std::vector<double> weights = {};  ///< > 0; empty: all 1
    std::vector<double> scales = {};   ///< λ > 0; empty: all 1
    Bandwidth bandwidth;
    std::vector<AxisBounds> bounds = {};  ///< one per column; empty: none. Not with a full bandwidth
    SumMethod method = SumMethod::automatic;
    double relative_error = 0;  ///< what values of p may be off by: relative · p + absolute
    double absolute_error = 0;
  };

  /// None yet: only to be assigned to.
  KernelDensity() = default;
  /// InvalidArgument or DataError where the parts do not fit together. O(n d); the tree is built when first needed.
  explicit KernelDensity(Parts parts);

  const SmoothingKernel& kernel() const { return kernel_; }
  const Parts& parts() const { return *parts_; }
  Index size() const { return parts_->points.rows(); }
  Index dimension() const { return parts_->points.columns(); }

  /// ln p(x) per row; −inf where p is 0. DataError for values that are not finite.
  std::vector<double> log_density(ConstMatrixView<double> x, const Run& run) const;
  /// ln p_{−i}(x_i): the density at every point, one copy of it left out (all of it where its weight is below 1), of the
  /// weight that remains. InvalidArgument with bounds. NaN-free: −inf where nothing is left.
  std::vector<double> log_density_without_own(const Run& run) const;

  /// ln of the marginal density on these columns, at rows that hold these columns alone. Exact sums, O(n) per row; for
  /// kernels other than gaussian, epanechnikov, biweight and boxcar some microseconds per term. Other columns may be
  /// bounded. InvalidArgument for columns that are not there or named twice.
  std::vector<double> marginal_log_density(std::span<const Index> columns, ConstMatrixView<double> x,
                                           const Run& run) const;
  /// ln p(the other columns | the given columns) = ln p(x) − ln p(x_given), at whole rows. NaN where p(x_given) is 0.
  std::vector<double> conditional_log_density(std::span<const Index> given, ConstMatrixView<double> x,
                                              const Run& run) const;
  /// P(X ≤ x), in one dimension; on a periodic axis from 0. O(n ln n), then O(points within reach) per value.
  std::vector<double> cumulative(std::span<const double> x, const Run& run) const;
  /// count × d draws from p; a function of run.seed() alone.
  Matrix<double> draw(Index count, const Run& run) const;
  /// p on a grid. `transform`: InvalidArgument beyond three dimensions, with scales, or for a grid that leaves
  /// [0, period].
  GridDensity on_grid(std::span<const GridAxis> axes, GridMethod method, const Run& run) const;

 private:
  struct Sum;
  const Sum& sum() const;
  double log_factor() const;
  ImagedPoints imaged_points() const;
  std::vector<double> marginal_sums(std::span<const Index> columns, ConstMatrixView<double> x, const Run& run) const;
  GridDensity binned_on_grid(std::span<const GridAxis> axes, const Run& run) const;
  /// The bounds in units of the bandwidth.
  std::vector<AxisBounds> whitened_bounds() const;

  SmoothingKernel kernel_;
  std::shared_ptr<const Parts> parts_;
  double total_weight_ = 0;
  std::shared_ptr<Sum> sum_;  // built on first use
};

/// Abramson's scales λ_i = (p(x_i) / g)^−sensitivity with g the geometric mean of the pilot p at its own points;
/// sensitivity 1/2 removes the leading bias. Abramson (1982).
std::vector<double> adaptive_scales(const KernelDensity& pilot, double sensitivity, const Run& run);

}  // namespace mercer
