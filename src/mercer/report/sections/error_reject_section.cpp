#include "mercer/report/sections/error_reject_section.h"

namespace mercer {

ErrorRejectCurve thinned_curve(const ErrorRejectCurve& curve) {
  constexpr std::size_t most_points = 200;
  const std::size_t points = curve.rejected.size();
  if (points <= most_points) {
    return curve;
  }
  const double step = curve.rejected.back() / static_cast<double>(most_points - 1);
  ErrorRejectCurve thin;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < points; ++i) {
    if (curve.rejected[i] >= step * static_cast<double>(taken) || i + 1 == points) {
      thin.rejected.push_back(curve.rejected[i]);
      thin.error.push_back(curve.error[i]);
      thin.confidence.push_back(curve.confidence[i]);
      while (step * static_cast<double>(taken) <= curve.rejected[i]) {
        ++taken;
      }
    }
  }
  return thin;
}

}  // namespace mercer
