// LowRankGram: K ≈ F Fᵀ with F n × r, from a few columns of K.
//
//   pivoted Cholesky    pivots chosen greedily or at random, with the trace error tr(K − FFᵀ) known at every rank
//   Nyström             given landmarks L: F = K(:, L) R⁻¹ with K(L, L) = RᵀR
//
// Both keep K − FFᵀ positive semidefinite. Systems with λ1 + FFᵀ cost O(n r) each after O(n r²) once, by Woodbury's
// identity (Schölkopf & Smola (2002), problem 2.31): (λ1 + FFᵀ)⁻¹ = (1 − F(λ1 + FᵀF)⁻¹Fᵀ)/λ.
#pragma once

#include <span>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/pivoted_cholesky.h"

namespace mercer {

template <class T>
class LowRankGram final : public Gram<T> {
 public:
  /// From a factor that is already there. The error is not known then.
  explicit LowRankGram(Matrix<T> factor);

  /// By pivoted Cholesky of a positive semidefinite matrix; evaluates rank · n entries of it. For pivots and trace
  /// errors see below. Throws InvalidArgument where the diagonal has a negative entry.
  static LowRankGram pivoted(const Gram<T>& gram, const PivotedCholeskyOptions& options, const Run& run);
  /// From landmarks, which must be distinct rows; those that depend on others (to rounding) are left out of pivots().
  static LowRankGram nystrom(const Gram<T>& gram, std::span<const Index> landmarks, const Run& run);

  Index size() const override { return factor_.rows(); }
  void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const override;
  void diagonal(std::span<double> out) const override;
  /// F(Fᵀv): O(n r) per column.
  void multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const override;

  double work_per_entry() const override { return static_cast<double>(rank()); }

  Index rank() const { return factor_.columns(); }
  ConstMatrixView<T> factor() const { return factor_.view(); }
  /// The rows of K that the factor was built from, in order.
  const std::vector<Index>& pivots() const { return pivots_; }
  /// tr(K − FFᵀ) with the first 0, 1, …, rank columns of F; empty where K is not known.
  const std::vector<double>& trace_errors() const { return trace_errors_; }

  ~LowRankGram() override = default;
  LowRankGram(LowRankGram&& other) noexcept;
  LowRankGram(const LowRankGram&) = delete;
  LowRankGram& operator=(const LowRankGram&) = delete;
  LowRankGram& operator=(LowRankGram&&) = delete;

 private:
  LowRankGram(Matrix<T> factor, std::vector<Index> pivots, std::vector<double> trace_errors);

  Matrix<T> factor_;
  std::vector<Index> pivots_;
  std::vector<double> trace_errors_;
};

/// Solves (λ1 + FFᵀ) x = b. The error grows with ‖FFᵀ‖/λ: the difference in Woodbury's identity cancels where λ is far
/// below the spectrum and b lies in the range of F.
template <class T>
class LowRankSolver {
 public:
  /// Factorises λ1 + FᵀF, in double: O(n r² + r³). λ > 0. The factor must outlive the solver.
  LowRankSolver(ConstMatrixView<T> factor, double lambda, const Run& run);

  /// x and b are n × c and may be the same.
  void solve(ConstMatrixView<T> b, MatrixView<T> x, const Run& run) const;
  /// ln det(λ1 + FFᵀ).
  double log_determinant() const;

 private:
  ConstMatrixView<T> factor_;
  double lambda_;
  Matrix<double> cholesky_;
};

}  // namespace mercer
