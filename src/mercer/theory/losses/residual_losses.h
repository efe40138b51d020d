// Losses of the residual ξ = f − y (Schölkopf & Smola 2002, table 3.1), with 1/p + 1/q = 1:
//
//   power          |ξ|^p/p                                   c* = |u|^q/q        (p = 1: 0 on [−1, 1])
//   capped power   |ξ|^p/(pσ^{p−1}) up to |ξ| = σ,           c* = σ|u|^q/q on [−1, 1]
//                  then |ξ| − σ(p − 1)/p                     p = 2: Huber's loss, of slope at most 1
//   tube           c₀(max(|ξ| − ε, 0)) of an even loss c₀    c* = ε|u| + c₀*(u)
//   pinball        (1 − τ)ξ above 0, −τξ below               c* = 0 on [−τ, 1 − τ]
//
// p = 1 is the absolute error, p = 2 the squared one, ½ξ². The pinball's minimum is the quantile of level τ.
#pragma once

#include "mercer/theory/losses/loss.h"

namespace mercer {

class ResidualLoss : public Loss {
 public:
  LossArgument argument() const final { return LossArgument::residual; }
};

class PowerLoss final : public ResidualLoss {
 public:
  /// exponent p ≥ 1, finite. InvalidArgument.
  explicit PowerLoss(double exponent);

  bool is_smooth() const override { return exponent_ > 1; }
  double value(double x) const override;
  SlopeRange slopes(double x) const override;
  double curvature(double x) const override;
  /// 2 p^{1/p − 1} Γ(1/p).
  std::optional<double> normalizer() const override;
  std::optional<LossConjugate> conjugate_form() const override;
  SmoothPart conjugate_part(double u) const override;

 private:
  double exponent_;
};

class CappedPowerLoss final : public ResidualLoss {
 public:
  /// p > 1, σ > 0, finite. InvalidArgument.
  CappedPowerLoss(double exponent, double threshold);

  bool is_smooth() const override { return true; }
  double value(double x) const override;
  SlopeRange slopes(double x) const override;
  double curvature(double x) const override;
  /// (2/p)(pσ^{p−1})^{1/p} γ(1/p, σ/p) + 2 e^{−σ/p}.
  std::optional<double> normalizer() const override;
  std::optional<LossConjugate> conjugate_form() const override;
  SmoothPart conjugate_part(double u) const override;

 private:
  double exponent_;
  double threshold_;
};

class TubeLoss final : public ResidualLoss {
 public:
  /// ε ≥ 0, finite; an even convex loss with c₀(0) = 0 and a conjugate. InvalidArgument.
  TubeLoss(LossPointer outside, double half_width);

  bool is_smooth() const override { return outside_->is_smooth(); }
  double value(double x) const override;
  SlopeRange slopes(double x) const override;
  double curvature(double x) const override;
  /// 2ε + Z₀.
  std::optional<double> normalizer() const override;
  std::optional<LossConjugate> conjugate_form() const override;
  SmoothPart conjugate_part(double u) const override { return outside_->conjugate_part(u); }

 private:
  LossPointer outside_;
  double half_width_;
};

class PinballLoss final : public ResidualLoss {
 public:
  /// 0 < τ < 1. InvalidArgument.
  explicit PinballLoss(double level);

  bool is_smooth() const override { return false; }
  double value(double x) const override;
  SlopeRange slopes(double x) const override;
  double curvature(double /*x*/) const override { return 0; }
  /// 1/(τ(1 − τ)).
  std::optional<double> normalizer() const override { return 1 / (level_ * (1 - level_)); }
  std::optional<LossConjugate> conjugate_form() const override;

 private:
  double level_;
};

}  // namespace mercer
