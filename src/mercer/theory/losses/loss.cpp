#include "mercer/theory/losses/loss.h"

#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

double Loss::influence(double x) const {
  const SlopeRange range = slopes(x);
  return range.left == range.right ? range.left : 0.5 * (range.left + range.right);
}

std::optional<double> Loss::density(double residual) const {
  const std::optional<double> z = normalizer();
  return z ? std::optional<double>(std::exp(-value(residual)) / *z) : std::nullopt;
}

SmoothPart Loss::conjugate_part(double /*u*/) const { return {}; }

double Loss::conjugate(double u) const {
  const std::optional<LossConjugate> form = conjugate_form();
  if (!form) {
    throw InvalidArgument("loss: its convex conjugate was asked for, and it has none in closed form");
  }
  if (!(u >= form->lower && u <= form->upper)) {
    return std::numeric_limits<double>::infinity();
  }
  return form->tube * std::abs(u) + form->shift * u + (form->has_smooth_part ? conjugate_part(u).value : 0.0);
}

}  // namespace mercer
