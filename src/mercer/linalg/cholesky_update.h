// A Cholesky factor A = L L' that grows and shrinks with A: rows and columns are appended or taken out in O(n²) where a
// new factorisation would cost n³/3 (Golub and Van Loan, Matrix Computations, 6.5). Appending is a substitution; taking
// row i out adds the outer product of what stood below it to the trailing block, by plane rotations only, so that
// nothing is subtracted and the result is always positive.
#pragma once

#include <span>

#include "mercer/base/run.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class GrowingCholesky {
 public:
  GrowingCholesky() = default;

  Index size() const { return size_; }
  /// L; what stands above the diagonal is not defined.
  ConstMatrixView<double> factor() const { return {storage_.data(), size_, size_, storage_.columns()}; }
  double log_determinant() const { return mercer::log_determinant(factor()); }

  /// A gains a last row (row, diagonal). Where the new pivot is not positive the status says so and nothing changes.
  [[nodiscard]] CholeskyStatus append(std::span<const double> row, double diagonal);
  /// A gains k last rows: `rows` is k × n, of `square` (k × k) the lower triangle is read. n² k flops on all threads.
  /// All or nothing; failed_at counts in the grown matrix.
  [[nodiscard]] CholeskyStatus append(ConstMatrixView<double> rows, ConstMatrixView<double> square, const Run& run);
  /// L gains the row (row, pivot) itself, for callers who have done the substitution. pivot > 0.
  void append_factored(std::span<const double> row, double pivot);

  /// A loses row and column i; those after it move up. O((n - i)²).
  void remove(Index i);

  /// x = L^-1 x (no) or L^-T x (yes).
  void substitute(Transpose transpose, std::span<double> x) const;

 private:
  MatrixView<double> grown(Index size);
  double* row_data(Index i) { return storage_.data() + i * storage_.columns(); }
  void add_outer_product(Index begin, std::span<double> x);

  Matrix<double> storage_;  // capacity × capacity, the factor at the front
  Index size_ = 0;
};

}  // namespace mercer
