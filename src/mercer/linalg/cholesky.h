// Cholesky factorisation A = L L' of a symmetric positive definite matrix, and what it gives: solutions, the inverse,
// the determinant. Fixed tiles, each a task that waits for the tiles it needs (base/ordered_tasks.h), with single-threaded
// BLAS inside, so any number of threads gives the same bits (Golub and Van Loan, Matrix Computations, 4.2).
#pragma once

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct CholeskyStatus {
  bool ok = true;
  Index failed_at = -1;  ///< the first row whose pivot was not a positive number
};

/// Replaces the lower triangle of A by L; reads and writes nothing above the diagonal. n^3/3 flops. Backward error of
/// order n eps. If the status is not ok, A is left half-factored.
template <class T>
[[nodiscard]] CholeskyStatus try_cholesky(MatrixView<T> a, const Run& run);

/// The same; throws NumericalError, naming the row, where A is not numerically positive definite.
template <class T>
void cholesky(MatrixView<T> a, const Run& run);

/// B = A^-1 B in place, given L. 2 n^2 m flops.
template <class T>
void cholesky_solve(ConstMatrixViewOf<T> l, MatrixView<T> b, const Run& run);
template <class T>
void cholesky_solve(ConstMatrixViewOf<T> l, std::span<T> b, const Run& run);

/// Replaces L by the lower triangle of A^-1. 2 n^3/3 flops, three tile columns of extra memory.
template <class T>
void cholesky_inverse(MatrixView<T> l, const Run& run);

/// ln det A = 2 sum ln L_ii, summed in double.
double log_determinant(ConstMatrixView<double> l);
double log_determinant(ConstMatrixView<float> l);

/// A copy of L with zeros above the diagonal, where a factorisation leaves anything: what is stored or shown.
Matrix<double> lower_triangle(ConstMatrixView<double> l);

}  // namespace mercer
