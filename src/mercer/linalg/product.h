// Matrix products on all threads: fixed tiles over parallel_for, single-threaded BLAS inside. The tiles depend on the
// shapes alone and sums over the inner dimension are added in order, so any number of threads gives the same bits.
#pragma once

#include "mercer/base/run.h"
#include "mercer/linalg/blas.h"

namespace mercer {

/// C = alpha op(A) op(B) + beta C. A small C with a long inner dimension is cut along that dimension; the partial
/// products take at most 16 times the memory of C.
template <class T>
void parallel_gemm(std::type_identity_t<T> alpha, ConstMatrixViewOf<T> a, Transpose transpose_a, ConstMatrixViewOf<T> b,
                   Transpose transpose_b, std::type_identity_t<T> beta, MatrixView<T> c, const Run& run);

/// Lower triangle of C = alpha A A' + beta C (Transpose::no) or alpha A' A + beta C (yes).
template <class T>
void parallel_syrk(std::type_identity_t<T> alpha, ConstMatrixViewOf<T> a, Transpose transpose,
                   std::type_identity_t<T> beta, MatrixView<T> c, const Run& run);

/// C = alpha A B + beta C for symmetric A given by its lower triangle.
template <class T>
void parallel_symm(std::type_identity_t<T> alpha, ConstMatrixViewOf<T> a, ConstMatrixViewOf<T> b,
                   std::type_identity_t<T> beta, MatrixView<T> c, const Run& run);

/// Copies the lower triangle of a square matrix to the upper one.
template <class T>
void mirror_lower(MatrixView<T> a, const Run& run);

}  // namespace mercer
