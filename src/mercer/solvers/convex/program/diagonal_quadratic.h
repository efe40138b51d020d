// Q = diag(d) ≥ 0 of a convex programme (quadratic_term.h); zero is the linear programme. S = B D⁻¹ Bᵀ costs m²n.
#pragma once

#include <vector>

#include "mercer/solvers/convex/program/quadratic_term.h"

namespace mercer {

class DiagonalQuadratic final : public QuadraticTerm {
 public:
  /// Entries finite and not negative. InvalidArgument.
  explicit DiagonalQuadratic(std::vector<double> diagonal);
  static std::unique_ptr<DiagonalQuadratic> zero(Index size);

  Index size() const override { return static_cast<Index>(diagonal_.size()); }
  bool is_zero() const override;
  bool takes_added_rows() const override { return true; }
  void diagonal(std::span<double> out) const override;
  void multiply(std::span<const double> x, std::span<double> out, const Run& run) const override;
  std::unique_ptr<QuadraticFactor> make_factor(AddedRows added) const override;

 private:
  std::vector<double> diagonal_;
};

}  // namespace mercer
