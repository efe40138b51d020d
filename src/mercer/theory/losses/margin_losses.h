// Losses of the margin t = y f(x), y = ±1. Conjugates in v = −u ≥ 0:
//
//   hinge          max(0, 1 − t)                 c* = −v on [0, 1]
//   squared hinge  max(0, 1 − t)²                c* = −v + v²/4
//   logistic       ln(1 + e^−t)                  c* = v ln v + (1 − v) ln(1 − v) on [0, 1]      = −ln P(y|f)
//   exponential    e^−t                          c* = v ln v − v
//   inverse complementary log-log
//                  1 − exp(−exp(−t))             not convex, between 0 and 1
//   zero-one       1 where t < 0                 what is counted: to look at, not to fit (not convex, no slope)
//
// The inverse complementary log-log is often printed with +t, which is the probability of the right class and would reward
// mistakes. sgn 0 counts as +1. Reference: Schölkopf & Smola (2002), 3.1.1, (3.3)-(3.6).
#pragma once

#include "mercer/theory/losses/loss.h"

namespace mercer {

class MarginLoss : public Loss {
 public:
  LossArgument argument() const final { return LossArgument::margin; }
};

class HingeLoss final : public MarginLoss {
 public:
  bool is_smooth() const override { return false; }
  double value(double x) const override;
  SlopeRange slopes(double x) const override;
  double curvature(double /*x*/) const override { return 0; }
  std::optional<LossConjugate> conjugate_form() const override;
};

class SquaredHingeLoss final : public MarginLoss {
 public:
  bool is_smooth() const override { return true; }
  double value(double x) const override;
  SlopeRange slopes(double x) const override;
  double curvature(double x) const override { return x <= 1 ? 2.0 : 0.0; }
  std::optional<LossConjugate> conjugate_form() const override;
  SmoothPart conjugate_part(double u) const override { return {u * u / 4, u / 2, 0.5}; }
};

class LogisticLoss final : public MarginLoss {
 public:
  bool is_smooth() const override { return true; }
  bool has_minimum() const override { return false; }
  double value(double x) const override;
  SlopeRange slopes(double x) const override;
  double curvature(double x) const override;
  std::optional<LossConjugate> conjugate_form() const override;
  SmoothPart conjugate_part(double u) const override;
};

class ExponentialLoss final : public MarginLoss {
 public:
  bool is_smooth() const override { return true; }
  bool has_minimum() const override { return false; }
  double value(double x) const override;
  SlopeRange slopes(double x) const override;
  double curvature(double x) const override;
  std::optional<LossConjugate> conjugate_form() const override;
  SmoothPart conjugate_part(double u) const override;
};

class ComplementaryLogLogLoss final : public MarginLoss {
 public:
  bool is_convex() const override { return false; }
  bool is_smooth() const override { return true; }
  bool has_minimum() const override { return false; }
  double value(double x) const override;
  SlopeRange slopes(double x) const override;
  double curvature(double x) const override;
};

class ZeroOneLoss final : public MarginLoss {
 public:
  bool is_convex() const override { return false; }
  bool is_smooth() const override { return false; }
  double value(double x) const override { return x < 0 ? 1.0 : 0.0; }
  SlopeRange slopes(double /*x*/) const override { return {}; }
  double curvature(double /*x*/) const override { return 0; }
};

}  // namespace mercer
