#include "mercer/theory/losses/residual_losses.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/special_functions.h"

namespace mercer {

namespace {

double gamma_function(double a) { return std::exp(log_gamma(a)); }

/// |x|^p/p and its derivatives, p > 1.
SmoothPart power_part(double x, double exponent) {
  const double size = std::abs(x);
  const double slope = std::pow(size, exponent - 1);
  return {size * slope / exponent, std::copysign(slope, x), (exponent - 1) * std::pow(size, exponent - 2)};
}

double dual_exponent(double exponent) { return exponent / (exponent - 1); }

}  // namespace

PowerLoss::PowerLoss(double exponent) : exponent_(exponent) {
  if (!(exponent >= 1 && std::isfinite(exponent))) {
    reject_argument("loss: exponent", exponent, "finite and at least 1");
  }
}

double PowerLoss::value(double x) const {
  return exponent_ == 1 ? std::abs(x) : std::pow(std::abs(x), exponent_) / exponent_;
}

SlopeRange PowerLoss::slopes(double x) const {
  if (exponent_ == 1) {
    return {x > 0 ? 1.0 : -1.0, x < 0 ? -1.0 : 1.0};
  }
  const double slope = power_part(x, exponent_).slope;
  return {slope, slope};
}

double PowerLoss::curvature(double x) const { return exponent_ == 1 ? 0.0 : power_part(x, exponent_).curvature; }

std::optional<double> PowerLoss::normalizer() const {
  return 2 * std::pow(exponent_, 1 / exponent_ - 1) * gamma_function(1 / exponent_);
}

std::optional<LossConjugate> PowerLoss::conjugate_form() const {
  if (exponent_ == 1) {
    return LossConjugate{.lower = -1, .upper = 1};
  }
  return LossConjugate{.has_smooth_part = true};
}

SmoothPart PowerLoss::conjugate_part(double u) const {
  return exponent_ == 1 ? SmoothPart{} : power_part(u, dual_exponent(exponent_));
}

CappedPowerLoss::CappedPowerLoss(double exponent, double threshold) : exponent_(exponent), threshold_(threshold) {
  if (!(exponent > 1 && std::isfinite(exponent))) {
    reject_argument("loss: exponent", exponent, "finite and above 1");
  }
  if (!(threshold > 0 && std::isfinite(threshold))) {
    reject_argument("loss: sigma", threshold, "finite and positive");
  }
}

double CappedPowerLoss::value(double x) const {
  const double size = std::abs(x);
  return size <= threshold_ ? threshold_ * power_part(size / threshold_, exponent_).value
                            : size - threshold_ * (exponent_ - 1) / exponent_;
}

SlopeRange CappedPowerLoss::slopes(double x) const {
  const double slope = std::abs(x) <= threshold_ ? power_part(x / threshold_, exponent_).slope : std::copysign(1.0, x);
  return {slope, slope};
}

double CappedPowerLoss::curvature(double x) const {
  return std::abs(x) <= threshold_ ? power_part(x / threshold_, exponent_).curvature / threshold_ : 0.0;
}

std::optional<double> CappedPowerLoss::normalizer() const {
  const double p = exponent_;
  const double inside = gamma_function(1 / p) * (1 - upper_incomplete_gamma(1 / p, threshold_ / p));
  return 2 / p * std::pow(p * std::pow(threshold_, p - 1), 1 / p) * inside + 2 * std::exp(-threshold_ / p);
}

std::optional<LossConjugate> CappedPowerLoss::conjugate_form() const {
  return LossConjugate{.lower = -1, .upper = 1, .has_smooth_part = true};
}

SmoothPart CappedPowerLoss::conjugate_part(double u) const {
  const SmoothPart part = power_part(u, dual_exponent(exponent_));
  return {threshold_ * part.value, threshold_ * part.slope, threshold_ * part.curvature};
}

TubeLoss::TubeLoss(LossPointer outside, double half_width) : outside_(std::move(outside)), half_width_(half_width) {
  if (!(half_width >= 0 && std::isfinite(half_width))) {
    reject_argument("loss: epsilon", half_width, "finite and not negative");
  }
  const std::optional<LossConjugate> form = outside_->conjugate_form();
  if (!form || form->lower != -form->upper || form->shift != 0 || form->tube != 0) {
    throw InvalidArgument("loss: what is outside of a tube must be an even convex loss");
  }
}

double TubeLoss::value(double x) const { return outside_->value(std::max(std::abs(x) - half_width_, 0.0)); }

SlopeRange TubeLoss::slopes(double x) const {
  const double beyond = std::abs(x) - half_width_;
  if (beyond < 0) {
    return {};
  }
  const SlopeRange above = outside_->slopes(beyond);
  // At the edge one side is the tube's own, 0; without a tube there is none.
  const double least = beyond > 0 || half_width_ == 0 ? above.left : 0.0;
  return x > 0 || (x == 0 && half_width_ == 0) ? SlopeRange{least, above.right} : SlopeRange{-above.right, -least};
}

double TubeLoss::curvature(double x) const {
  const double beyond = std::abs(x) - half_width_;
  return beyond < 0 ? 0.0 : outside_->curvature(beyond);
}

std::optional<double> TubeLoss::normalizer() const {
  const std::optional<double> z = outside_->normalizer();
  return z ? std::optional<double>(2 * half_width_ + *z) : std::nullopt;
}

std::optional<LossConjugate> TubeLoss::conjugate_form() const {
  LossConjugate form = *outside_->conjugate_form();
  form.tube = half_width_;
  return form;
}

PinballLoss::PinballLoss(double level) : level_(level) {
  if (!(level > 0 && level < 1)) {
    reject_argument("loss: quantile", level, "between 0 and 1");
  }
}

double PinballLoss::value(double x) const { return x > 0 ? (1 - level_) * x : -level_ * x; }

SlopeRange PinballLoss::slopes(double x) const { return {x > 0 ? 1 - level_ : -level_, x < 0 ? -level_ : 1 - level_}; }

std::optional<LossConjugate> PinballLoss::conjugate_form() const {
  return LossConjugate{.lower = -level_, .upper = 1 - level_};
}

}  // namespace mercer
