#include "mercer/theory/losses/margin_losses.h"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// v ln v, 0 at 0.
double entropy_term(double v) { return v > 0 ? v * std::log(v) : 0.0; }

/// 1/(1 + e^t) without overflow.
double falling_logistic(double t) {
  if (t > 0) {
    const double small = std::exp(-t);
    return small / (1 + small);
  }
  return 1 / (1 + std::exp(t));
}

}  // namespace

double HingeLoss::value(double x) const { return std::max(0.0, 1 - x); }

SlopeRange HingeLoss::slopes(double x) const { return {x > 1 ? 0.0 : -1.0, x < 1 ? -1.0 : 0.0}; }

std::optional<LossConjugate> HingeLoss::conjugate_form() const {
  return LossConjugate{.lower = -1, .upper = 0, .shift = 1};
}

double SquaredHingeLoss::value(double x) const {
  const double slack = std::max(0.0, 1 - x);
  return slack * slack;
}

SlopeRange SquaredHingeLoss::slopes(double x) const {
  const double slope = -2 * std::max(0.0, 1 - x);
  return {slope, slope};
}

std::optional<LossConjugate> SquaredHingeLoss::conjugate_form() const {
  return LossConjugate{.upper = 0, .shift = 1, .has_smooth_part = true};
}

double LogisticLoss::value(double x) const { return x > 0 ? std::log1p(std::exp(-x)) : -x + std::log1p(std::exp(x)); }

SlopeRange LogisticLoss::slopes(double x) const {
  const double slope = -falling_logistic(x);
  return {slope, slope};
}

double LogisticLoss::curvature(double x) const { return falling_logistic(x) * falling_logistic(-x); }

std::optional<LossConjugate> LogisticLoss::conjugate_form() const {
  return LossConjugate{.lower = -1, .upper = 0, .has_smooth_part = true};
}

SmoothPart LogisticLoss::conjugate_part(double u) const {
  const double v = -u;
  const double other = v < 1 ? (1 - v) * std::log1p(-v) : 0.0;
  return {entropy_term(v) + other, std::log1p(-v) - std::log(v), 1 / v + 1 / (1 - v)};
}

double ExponentialLoss::value(double x) const { return std::exp(-x); }

SlopeRange ExponentialLoss::slopes(double x) const {
  const double slope = -std::exp(-x);
  return {slope, slope};
}

double ExponentialLoss::curvature(double x) const { return std::exp(-x); }

std::optional<LossConjugate> ExponentialLoss::conjugate_form() const {
  return LossConjugate{.upper = 0, .has_smooth_part = true};
}

SmoothPart ExponentialLoss::conjugate_part(double u) const {
  const double v = -u;
  return {entropy_term(v) - v, -std::log(v), 1 / v};
}

double ComplementaryLogLogLoss::value(double x) const { return -std::expm1(-std::exp(-x)); }

SlopeRange ComplementaryLogLogLoss::slopes(double x) const {
  const double slope = -std::exp(-x - std::exp(-x));
  return {slope, slope};
}

double ComplementaryLogLogLoss::curvature(double x) const {
  const double rate = std::exp(-x);
  // Far to the left the two exponentials are ∞ and 0: their product is 0.
  return rate > 700 ? 0.0 : std::exp(-x - rate) * (1 - rate);
}

}  // namespace mercer
