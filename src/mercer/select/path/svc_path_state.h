// Where a walk along the regularisation path of a C-SVC stands (svc_path.h): λ, the coefficients, what every row is, and
// the factor of the system of the rows on the margin. The walk itself: svc_path_walk.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/linalg/cholesky_update.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class RowKind : std::uint8_t { zero, margin, bound };

class SvcPathState {
 public:
  /// All rows at zero; K is n × n.
  SvcPathState(ConstMatrixView<double> kernel, std::span<const double> signs, std::span<const double> weights);

  Index size() const { return static_cast<Index>(signs_.size()); }
  double lambda() const { return lambda_; }
  double offset() const { return offset_; }
  double alpha(Index i) const { return alpha_[i]; }
  const std::vector<double>& alpha() const { return alpha_; }
  RowKind kind(Index i) const { return kind_[i]; }
  const std::vector<Index>& margin_rows() const { return margin_; }
  double sign(Index i) const { return signs_[i]; }
  double weight(Index i) const { return weights_[i]; }
  /// g_i = Σ_j a_j y_j K_ij.
  double value(Index i) const { return values_[i]; }
  /// y_i (g_i + a_0) − λ: not negative at zero, not positive at the bound, 0 on the margin.
  double residual(Index i) const { return sign(i) * (value(i) + offset_) - lambda_; }

  /// Sets all coefficients; rows within `slip` (relative) of an end of their box go there, the others to the margin, as
  /// far as they are independent. Values are recomputed.
  void place(std::span<const double> alpha, double slip);
  void set_lambda(double lambda) { lambda_ = lambda; }
  void set_offset(double offset) { offset_ = offset; }

  /// Makes g + a_0 = λ y exact on the margin and Σ y a = 0, by changing the coefficients there and a_0; values are
  /// recomputed from the coefficients. Nothing but the latter without rows on the margin.
  void refresh();

  /// d(y a)/dλ of the margin rows, da_0/dλ, and dg/dλ + da_0/dλ of every row.
  struct Direction {
    std::vector<double> beta;
    double offset = 0;
    std::vector<double> values;
  };
  Direction direction() const;
  /// λ falls by `step`.
  void advance(double step, const Direction& direction);

  /// A row of the margin goes to an end of its box.
  void leave(std::size_t position, RowKind kind);
  /// A row at zero or at its bound joins the margin. Where it depends on those there, coefficients are exchanged
  /// between them, which does not change f, until one of them reaches an end of its box: that one stays outside. Gives
  /// the rows that changed their kind, in order.
  std::vector<Index> enter(Index row);

 private:
  double kernel(Index i, Index j) const { return kernel_(i, j); }
  void solve(std::span<double> beta, double& offset, double sum) const;
  double pivot_of(Index row, std::vector<double>& substituted) const;
  void add_multiples(std::span<const double> beta, std::span<double> out) const;

  ConstMatrixView<double> kernel_;
  std::span<const double> signs_;
  std::span<const double> weights_;
  double shift_ = 0;  // c of K + c eeᵀ, which is positive where K is on vectors of sum 0
  double lambda_ = 0;
  double offset_ = 0;
  std::vector<double> alpha_;
  std::vector<double> values_;
  std::vector<RowKind> kind_;
  std::vector<Index> margin_;
  GrowingCholesky factor_;  // of K_EE + c eeᵀ
};

}  // namespace mercer
