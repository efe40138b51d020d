// The profile of a ball spline of order n in N dimensions: the (n+1)-fold convolution of the indicator of the unit ball
// with itself, a function of u = r², scaled to 1 at u = 0 and zero from r = n+1 on. Its spectrum is
// (ω^(−N/2) J_{N/2}(ω))^(n+1) (Schölkopf & Smola (2002), eq. 4.60-4.62), not negative where n is odd.
#pragma once

#include <memory>

#include "mercer/base/index.h"

namespace mercer {

class BallProfile {
 public:
  BallProfile() = default;
  virtual ~BallProfile() = default;
  BallProfile(const BallProfile&) = delete;
  BallProfile& operator=(const BallProfile&) = delete;
  BallProfile(BallProfile&&) = delete;
  BallProfile& operator=(BallProfile&&) = delete;

  virtual double value(double u) const = 0;
  /// The derivatives by u; 0 at u = 0 where they diverge there.
  virtual double first(double u) const = 0;
  virtual double second(double u) const = 0;
};

/// Order 1 is a closed form. Higher odd orders are tabulated here, once: about 2·order² ms; a value then costs some
/// 100 ns and is within 1e-12. `order` is odd, `dimension` at least 1 and, for orders above 1, at most 100.
std::shared_ptr<const BallProfile> make_ball_profile(int order, Index dimension);

}  // namespace mercer
