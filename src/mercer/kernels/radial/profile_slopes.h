// How steep the profile φ of a radial kernel is, and where that makes distances by ‖x‖² + ‖y‖² − 2xᵀy too coarse.
//
// That formula leaves an error of a few ε(‖x‖² + ‖y‖²) in ‖x − y‖², whatever the distance. The kernel's value inherits
// it times |φ'(u)|·factor, u = factor·‖x − y‖². A profile with a cusp at 0 (an exponential of the distance, small powers
// of it, spheres that overlap) is so steep for near points that nothing is left of single precision, and half of
// double; a smooth profile is steep only where it is narrow against the data. Where
//
//   |φ'(u)| · factor · (‖x‖² + ‖y‖²) > 2⁶ · max(|φ(0)|, |φ(factor (‖x‖² + ‖y‖²))|)
//
// more than six bits of the value would be lost: there the distance is summed from differences. ε cancels, so that the
// rule is the same for float and double; it is symmetric in x and y, and equal rows get the distance 0.
#pragma once

#include <array>
#include <functional>
#include <span>

namespace mercer {

class ProfileSlopes {
 public:
  /// Evaluates φ at 0 and at powers of two, in place. Slopes are difference quotients between these; differences that
  /// drown in the rounding of φ are no slopes.
  explicit ProfileSlopes(const std::function<void(std::span<double>)>& profile);

  /// sup over v ≥ u of |φ'(v)|, to a factor of two.
  double slope(double u) const { return slopes_[position(u)]; }
  /// max(|φ(0)|, |φ(u)|), u rounded to a power of two.
  double scale(double u) const { return scales_[position(u)]; }
  /// Whether a value of u that comes from norms which sum to `norms` has to be summed from differences.
  bool too_steep(double u, double factor, double norms) const {
    return slope(u) * (factor * norms) > lost_bits * scale(factor * norms);
  }
  /// All u for which too_steep(u, factor, norms) holds are below this; 0: there are none.
  double steep_below(double factor, double norms) const;

 private:
  static constexpr double lost_bits = 64;
  static constexpr int lowest = -1000;  // of kernels without a width u has the unit of the data
  static constexpr int highest = 1000;
  static constexpr std::size_t count = highest - lowest + 1;

  static std::size_t position(double u);

  std::array<double, count> slopes_{};
  std::array<double, count> scales_{};
};

}  // namespace mercer
