// Σ q_i(x_i) of a convex programme (convex_program.h): convex functions of one number each, twice differentiable inside
// of the bounds of their variable. Where a bound is infinite, q_i is 0 everywhere or grows faster than any line on that
// side, as the conjugates of losses do; only so can an unbounded programme be told from its quadratic and linear parts.
// Reference: Schölkopf & Smola (2002), 10.3.2 (general convex functions), table 3.1 and (9.29) (polynomial losses).
#pragma once

#include <vector>

#include "mercer/base/index.h"

namespace mercer {

class SeparableTerm {
 public:
  SeparableTerm() = default;
  virtual ~SeparableTerm() = default;
  SeparableTerm(const SeparableTerm&) = delete;
  SeparableTerm& operator=(const SeparableTerm&) = delete;
  SeparableTerm(SeparableTerm&&) = delete;
  SeparableTerm& operator=(SeparableTerm&&) = delete;

  virtual Index size() const = 0;
  /// False where q_i is 0 everywhere.
  virtual bool present(Index i) const = 0;
  virtual double value(Index i, double x) const = 0;
  virtual double slope(Index i, double x) const = 0;
  virtual double curvature(Index i, double x) const = 0;
};

/// q_i(x) = w_i |x|^p / p with p > 1: in a dual, a polynomial loss |ξ|^{p/(p−1)} (p − 1)/p. For p < 2 the curvature at 0
/// is infinite and taken as finite, which changes steps and no solution.
class PowerTerm final : public SeparableTerm {
 public:
  /// Weights ≥ 0, exponent p > 1, all finite. InvalidArgument.
  PowerTerm(std::vector<double> weights, double exponent);

  Index size() const override { return static_cast<Index>(weights_.size()); }
  bool present(Index i) const override { return weights_[static_cast<std::size_t>(i)] > 0; }
  double value(Index i, double x) const override;
  double slope(Index i, double x) const override;
  double curvature(Index i, double x) const override;

 private:
  std::vector<double> weights_;
  double exponent_;
};

}  // namespace mercer
