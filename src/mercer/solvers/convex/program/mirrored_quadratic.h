// Q = [K −K; −K K] of a convex programme (quadratic_term.h), of 2n variables (a⁺, a⁻) that count by their differences: the
// two sides of a regression tube. With D⁺ and D⁻ on the diagonal a step needs one system of order n, not 2n,
//
//   (K + D⁺D⁻/(D⁺ + D⁻)) β = (D⁻r⁺ − D⁺r⁻)/(D⁺ + D⁻),   x⁺ = (r⁺ + r⁻ + D⁻β)/(D⁺ + D⁻),   x⁻ = (r⁺ + r⁻ − D⁺β)/(D⁺ + D⁻)
//
// with no difference of large numbers in it. Reference: Schölkopf & Smola (2002), (10.52)-(10.53).
#pragma once

#include "mercer/solvers/convex/program/quadratic_term.h"

namespace mercer {

class MirroredQuadratic final : public QuadraticTerm {
 public:
  /// K of any kind.
  explicit MirroredQuadratic(std::shared_ptr<const QuadraticTerm> inner) : inner_(std::move(inner)) {}

  Index size() const override { return 2 * inner_->size(); }
  bool is_zero() const override { return inner_->is_zero(); }
  bool takes_added_rows() const override { return false; }
  void diagonal(std::span<double> out) const override;
  void multiply(std::span<const double> x, std::span<double> out, const Run& run) const override;
  std::unique_ptr<QuadraticFactor> make_factor(AddedRows added) const override;

 private:
  std::shared_ptr<const QuadraticTerm> inner_;
};

}  // namespace mercer
