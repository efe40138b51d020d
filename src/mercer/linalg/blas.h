// BLAS on row-major views, float and double. Single-threaded: parallelism is parallel_for's (see linalg/product.h).
//
// Thin names over OpenBLAS. Shapes are checked by assert; sizes that do not fit BLAS's 32-bit integers throw
// InvalidArgument. Empty operands are allowed everywhere. A matrix product with inner size 0 is beta C.
#pragma once

#include <span>

#include "mercer/linalg/view.h"

namespace mercer {

enum class Transpose { no, yes };
enum class Side { left, right };
enum class Uplo { lower, upper };

/// C = alpha op(A) op(B) + beta C; with beta 0 the old C is not read.
void gemm(double alpha, ConstMatrixView<double> a, Transpose transpose_a, ConstMatrixView<double> b,
          Transpose transpose_b, double beta, MatrixView<double> c);
void gemm(float alpha, ConstMatrixView<float> a, Transpose transpose_a, ConstMatrixView<float> b, Transpose transpose_b,
          float beta, MatrixView<float> c);

/// Lower triangle of C = alpha A A' + beta C (Transpose::no) or alpha A' A + beta C (yes); the rest is untouched.
void syrk(double alpha, ConstMatrixView<double> a, Transpose transpose, double beta, MatrixView<double> c);
void syrk(float alpha, ConstMatrixView<float> a, Transpose transpose, float beta, MatrixView<float> c);

/// C = alpha A B + beta C for symmetric A given by its lower triangle (Side::right: B A).
void symm(Side side, double alpha, ConstMatrixView<double> a, ConstMatrixView<double> b, double beta,
          MatrixView<double> c);
void symm(Side side, float alpha, ConstMatrixView<float> a, ConstMatrixView<float> b, float beta, MatrixView<float> c);

/// B = alpha op(L)^-1 B (Side::left) or alpha B op(L)^-1 (right) for triangular L.
void trsm(Side side, Uplo uplo, Transpose transpose, double alpha, ConstMatrixView<double> l, MatrixView<double> b);
void trsm(Side side, Uplo uplo, Transpose transpose, float alpha, ConstMatrixView<float> l, MatrixView<float> b);

/// B = alpha op(L) B (Side::left) or alpha B op(L) (right) for triangular L.
void trmm(Side side, Uplo uplo, Transpose transpose, double alpha, ConstMatrixView<double> l, MatrixView<double> b);
void trmm(Side side, Uplo uplo, Transpose transpose, float alpha, ConstMatrixView<float> l, MatrixView<float> b);

/// x = op(L)^-1 x.
void trsv(Uplo uplo, Transpose transpose, ConstMatrixView<double> l, std::span<double> x);
void trsv(Uplo uplo, Transpose transpose, ConstMatrixView<float> l, std::span<float> x);

/// y = alpha op(A) x + beta y.
void gemv(double alpha, ConstMatrixView<double> a, Transpose transpose, std::span<const double> x, double beta,
          std::span<double> y);
void gemv(float alpha, ConstMatrixView<float> a, Transpose transpose, std::span<const float> x, float beta,
          std::span<float> y);

/// y = alpha A x + beta y for symmetric A given by its lower triangle.
void symv(double alpha, ConstMatrixView<double> a, std::span<const double> x, double beta, std::span<double> y);
void symv(float alpha, ConstMatrixView<float> a, std::span<const float> x, float beta, std::span<float> y);

/// A += alpha x y'.
void ger(double alpha, std::span<const double> x, std::span<const double> y, MatrixView<double> a);
void ger(float alpha, std::span<const float> x, std::span<const float> y, MatrixView<float> a);

/// Vectors of any length: long ones are taken in pieces.
double dot(std::span<const double> x, std::span<const double> y);
float dot(std::span<const float> x, std::span<const float> y);
/// y += alpha x.
void axpy(double alpha, std::span<const double> x, std::span<double> y);
void axpy(float alpha, std::span<const float> x, std::span<float> y);
/// x *= alpha.
void scale(double alpha, std::span<double> x);
void scale(float alpha, std::span<float> x);
/// Euclidean norm without overflow.
double nrm2(std::span<const double> x);
float nrm2(std::span<const float> x);

}  // namespace mercer
