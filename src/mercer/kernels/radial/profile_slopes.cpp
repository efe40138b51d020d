#include "mercer/kernels/radial/profile_slopes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

std::size_t ProfileSlopes::position(double u) {
  if (!(u > 0)) {
    return 0;
  }
  return static_cast<std::size_t>(std::clamp(std::ilogb(u), lowest, highest) - lowest);
}

ProfileSlopes::ProfileSlopes(const std::function<void(std::span<double>)>& profile) {
  // [0]: φ(0), then φ(2^lowest) … φ(2^(highest+1)).
  std::vector<double> values(count + 2, 0.0);
  for (std::size_t k = 1; k < values.size(); ++k) {
    values[k] = std::ldexp(1.0, lowest + static_cast<int>(k) - 1);
  }
  profile(values);
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  double steepest = 0;
  for (std::size_t k = count; k-- > 0;) {
    const double here = values[k + 1];
    const double next = values[k + 2];
    const double difference = std::abs(next - here);
    if (difference > rounding * std::max(std::abs(here), std::abs(next))) {
      steepest = std::max(steepest, std::ldexp(difference, -(lowest + static_cast<int>(k))));
    }
    slopes_[k] = steepest;
    scales_[k] = std::max(std::abs(values[0]), std::abs(here));
  }
  // A profile that jumps at 0 needs to know which distances are 0.
  const double jump = std::abs(values[1] - values[0]);
  if (jump > rounding * std::max(std::abs(values[0]), std::abs(values[1]))) {
    slopes_[0] = std::max(slopes_[0], std::ldexp(jump, -lowest));
  }
}

double ProfileSlopes::steep_below(double factor, double norms) const {
  const double limit = lost_bits * scale(factor * norms);
  // slopes_ descends: the first position that is not too steep ends the range.
  const auto* const end = std::partition_point(slopes_.begin(), slopes_.end(),
                                               [&](double slope) { return slope * (factor * norms) > limit; });
  return end == slopes_.begin() ? 0.0 : std::ldexp(1.0, lowest + static_cast<int>(end - slopes_.begin()));
}

}  // namespace mercer
