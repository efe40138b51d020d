// Q = diag(d) + R H Rᵀ of a convex programme (quadratic_term.h), R of n rows and k columns: a linear kernel with few
// columns (R = X, H = I), pivoted Cholesky (H = I), Nyström (R = K_nb, H⁻¹ = K_bb). With D' = D + d,
//
//   M⁻¹ = D'⁻¹ − D'⁻¹ R C⁻¹ Rᵀ D'⁻¹,   C = H⁻¹ + Rᵀ D'⁻¹ R        (Sherman, Morrison & Woodbury)
//
// R is only read in blocks of rows, so that it need not be in memory: once for a factor (n k² operations), twice for a
// step, twice for a product. Reference: Schölkopf & Smola (2002), 10.3.4, (10.55) with D⁻¹ inside; Fine & Scheinberg
// (2001), Efficient SVM Training Using Low-Rank Kernel Representations.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/program/quadratic_term.h"

namespace mercer {

/// R, wherever it is.
class FactorRows {
 public:
  FactorRows() = default;
  virtual ~FactorRows() = default;
  FactorRows(const FactorRows&) = delete;
  FactorRows& operator=(const FactorRows&) = delete;
  FactorRows(FactorRows&&) = delete;
  FactorRows& operator=(FactorRows&&) = delete;

  virtual Index rows() const = 0;
  virtual Index columns() const = 0;
  /// Writes these rows. Called from several threads at once.
  virtual void read(IndexRange rows, MatrixView<double> out) const = 0;
  /// Rows that are in memory as they are; empty: read() them.
  virtual ConstMatrixView<double> stored(IndexRange /*rows*/) const { return {}; }
};

/// A matrix in memory, of the caller's.
class StoredFactorRows final : public FactorRows {
 public:
  explicit StoredFactorRows(ConstMatrixView<double> matrix) : matrix_(matrix) {}
  Index rows() const override { return matrix_.rows(); }
  Index columns() const override { return matrix_.columns(); }
  void read(IndexRange rows, MatrixView<double> out) const override;
  ConstMatrixView<double> stored(IndexRange rows) const override { return matrix_.row_block(rows); }

 private:
  ConstMatrixView<double> matrix_;
};

/// diag(signs) R: a Gram matrix with labels on both sides.
class SignedFactorRows final : public FactorRows {
 public:
  /// Both must outlive this.
  SignedFactorRows(const FactorRows& rows, std::span<const double> signs) : rows_(rows), signs_(signs) {}
  Index rows() const override { return rows_.rows(); }
  Index columns() const override { return rows_.columns(); }
  void read(IndexRange rows, MatrixView<double> out) const override;

 private:
  const FactorRows& rows_;
  std::span<const double> signs_;
};

class LowRankQuadratic final : public QuadraticTerm {
 public:
  /// One pass over `rows`, which must outlive this. diagonal: empty or n numbers ≥ 0; core: empty (H = I) or H⁻¹, positive definite.
  /// InvalidArgument for sizes or numbers that are not allowed, NumericalError for a core that is not positive definite.
  explicit LowRankQuadratic(const FactorRows& rows, std::vector<double> diagonal = {},
                            ConstMatrixView<double> core = {}, const Run& run = {});

  Index size() const override { return rows_.rows(); }
  bool takes_added_rows() const override { return false; }
  double least_relative_diagonal() const override { return 1e-8; }
  void diagonal(std::span<double> out) const override;
  void multiply(std::span<const double> x, std::span<double> out, const Run& run) const override;
  std::unique_ptr<QuadraticFactor> make_factor(AddedRows added) const override;

 private:
  void find_entries(const Run& run);

  const FactorRows& rows_;
  std::vector<double> diagonal_;  // d
  std::vector<double> entries_;   // the diagonal of Q
  Matrix<double> core_;           // H⁻¹; empty: I
  Matrix<double> core_factor_;    // of it
};

}  // namespace mercer
