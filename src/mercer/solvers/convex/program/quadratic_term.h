// Q of a convex programme (convex_program.h) as an operator, and the factor of it that an interior point step needs,
//
//   M = Q + diag(D) + FᵀWF,     S = B M⁻¹ Bᵀ,     x = M⁻¹(r + Bᵀy)
//
// Kinds: dense (dense_quadratic.h), low rank plus diagonal (low_rank_quadratic.h), diagonal or zero
// (diagonal_quadratic.h). A term is immutable; whoever solves with it has a factor of his own.
// Reference: Schölkopf & Smola (2002), 10.3.2 and 10.3.4.
#pragma once

#include <memory>
#include <span>

#include "mercer/base/run.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// FᵀWF: rows of n numbers with their weights, positive.
struct WeightedRows {
  ConstMatrixView<double> rows;
  std::span<const double> weights;
};

/// What M is made of, and the rows B (m × n) of its Schur complement. All of it must outlive the use of the factor.
struct FactorInput {
  std::span<const double> diagonal;  ///< D ≥ 0; infinite: the variable stays, its row and column of M⁻¹ are 0
  WeightedRows added;
  ConstMatrixView<double> rows;
  double relative_shift = 0;  ///< every diagonal entry of M grows by this share of itself
};

/// One thread calls it at a time; `run`'s threads are used inside.
class QuadraticFactor {
 public:
  QuadraticFactor() = default;
  virtual ~QuadraticFactor() = default;
  QuadraticFactor(const QuadraticFactor&) = delete;
  QuadraticFactor& operator=(const QuadraticFactor&) = delete;
  QuadraticFactor(QuadraticFactor&&) = delete;
  QuadraticFactor& operator=(QuadraticFactor&&) = delete;

  /// Writes the lower triangle of S. False where M is not positive definite within rounding.
  [[nodiscard]] virtual bool factorize(const FactorInput& input, MatrixView<double> schur, const Run& run) = 0;
  /// out = B M⁻¹ r, one number per row of B.
  virtual void reduce(std::span<const double> right, std::span<double> out, const Run& run) = 0;
  /// step = M⁻¹(r + Bᵀy) with the r of the last reduce().
  virtual void finish(std::span<const double> multipliers, std::span<double> step, const Run& run) = 0;
};

enum class AddedRows { none, some };

class QuadraticTerm {
 public:
  QuadraticTerm() = default;
  virtual ~QuadraticTerm() = default;
  QuadraticTerm(const QuadraticTerm&) = delete;
  QuadraticTerm& operator=(const QuadraticTerm&) = delete;
  QuadraticTerm(QuadraticTerm&&) = delete;
  QuadraticTerm& operator=(QuadraticTerm&&) = delete;

  virtual Index size() const = 0;
  /// Whether xᵀQx = 0 for all x.
  virtual bool is_zero() const { return false; }
  /// Whether its factor takes rows F at a cost that makes sense.
  virtual bool takes_added_rows() const = 0;
  /// The smallest D, relative to the largest diagonal entry of Q, with which solutions keep half of their digits.
  virtual double least_relative_diagonal() const { return 1e-8; }
  virtual void diagonal(std::span<double> out) const = 0;
  /// out = Qx.
  virtual void multiply(std::span<const double> x, std::span<double> out, const Run& run) const = 0;
  /// The term must outlive it.
  virtual std::unique_ptr<QuadraticFactor> make_factor(AddedRows added) const = 0;
};

}  // namespace mercer
