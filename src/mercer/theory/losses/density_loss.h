// The loss of a density of noise, c(ξ) = −ln p(ξ) + ln p(0): p by its values on a grid, −ln p by the natural cubic spline
// through them, so that c has two continuous derivatives, and by straight lines beyond the ends (tails that fall
// exponentially at the rate of the last values). It need not be convex. A density with a corner is rounded off between
// the values next to it. Reference: Schölkopf & Smola (2002), (3.20)-(3.21).
#pragma once

#include <functional>
#include <vector>

#include "mercer/theory/losses/residual_losses.h"

namespace mercer {

/// Densities at residuals, ascending.
struct NoiseTable {
  std::vector<double> residuals;
  std::vector<double> densities;
};

/// `count` values of a density from `lower` to `upper`. Values of 0 at the ends (underflow) are left out.
NoiseTable tabulate_density(const std::function<double(double)>& density, double lower, double upper, int count);

class DensityLoss final : public ResidualLoss {
 public:
  /// Densities need not integrate to 1. InvalidArgument, naming the row, for fewer than three of them, residuals that do not
  /// ascend or do not reach to both sides of 0, densities that are not positive and finite, and such as grow outward at
  /// an end, or seem to because rows are too far apart there: their loss would have no minimum.
  explicit DensityLoss(const NoiseTable& table);

  bool is_convex() const override { return convex_; }
  bool is_smooth() const override { return true; }
  double value(double x) const override { return at(x).value - origin_; }
  SlopeRange slopes(double x) const override;
  double curvature(double x) const override { return at(x).curvature; }
  std::optional<double> normalizer() const override;

 private:
  SmoothPart at(double x) const;
  void require_falling_ends(double largest) const;

  std::vector<double> knots_;
  std::vector<double> values_;  // −ln p
  std::vector<double> bends_;   // second derivatives at the knots
  double origin_ = 0;           // −ln p(0)
  bool convex_ = false;
};

}  // namespace mercer
