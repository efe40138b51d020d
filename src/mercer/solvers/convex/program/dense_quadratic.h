// Dense Q of a convex programme (quadratic_term.h): a symmetric matrix of the caller's, or a Gram matrix written out.
// M is factorised in one matrix of the size of Q, so that the peak is 2n² numbers and m n for the constraints' rows.
#pragma once

#include <span>

#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/program/quadratic_term.h"

namespace mercer {

class DenseQuadratic final : public QuadraticTerm {
 public:
  /// Refers to the matrix. InvalidArgument where it is not square, not finite, or not symmetric to 1e-12 of its largest
  /// entry.
  explicit DenseQuadratic(ConstMatrixView<double> matrix);
  explicit DenseQuadratic(Matrix<double> matrix);
  /// Q_ij = signs_i signs_j K_ij, in double; no signs: K. T is float or double.
  template <class T>
  static std::unique_ptr<DenseQuadratic> of_gram(const Gram<T>& gram, std::span<const double> signs, const Run& run);

  Index size() const override { return matrix_.rows(); }
  bool takes_added_rows() const override { return true; }
  void diagonal(std::span<double> out) const override;
  void multiply(std::span<const double> x, std::span<double> out, const Run& run) const override;
  std::unique_ptr<QuadraticFactor> make_factor(AddedRows added) const override;

 private:
  void require_symmetric() const;

  Matrix<double> own_;
  ConstMatrixView<double> matrix_;
};

/// The factor of diag(given) + what is added, for terms that are diagonal and have more added rows than variables; and
/// that of a dense Q (given empty). n² doubles, n³/3 operations.
std::unique_ptr<QuadraticFactor> make_dense_factor(ConstMatrixView<double> quadratic, std::span<const double> given,
                                                   Index size);

}  // namespace mercer
