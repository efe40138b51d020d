#include "mercer/linalg/blas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/openblas.h"

namespace mercer {

namespace {

// The copy belongs to this library alone, so its threads are switched off once and for all, before any call: every
// product then runs on the thread that asked for it. Nobody needs the value; its initialisation is the point. It may come
// before OpenBLAS's own, so that is done first.
[[maybe_unused]] const bool single_threaded = [] {
  gotoblas_init();
  openblas_set_num_threads(1);
  blas_thread_shutdown_();
  return true;
}();

blasint to_blas(Index size) {
  if (size < 0 || size > std::numeric_limits<std::int32_t>::max()) [[unlikely]] {
    throw InvalidArgument("a matrix dimension of " + std::to_string(size) +
                          " exceeds the 2147483647 that BLAS can address: work on blocks of rows");
  }
  return static_cast<blasint>(size);
}

template <class T>
blasint leading(MatrixView<T> a) {
  return std::max<blasint>(1, to_blas(a.stride()));
}

CBLAS_TRANSPOSE to_blas(Transpose transpose) { return transpose == Transpose::yes ? CblasTrans : CblasNoTrans; }
CBLAS_SIDE to_blas(Side side) { return side == Side::left ? CblasLeft : CblasRight; }
CBLAS_UPLO to_blas(Uplo uplo) { return uplo == Uplo::lower ? CblasLower : CblasUpper; }

template <class T>
Index op_rows(ConstMatrixView<T> a, Transpose transpose) {
  return transpose == Transpose::no ? a.rows() : a.columns();
}
template <class T>
Index op_columns(ConstMatrixView<T> a, Transpose transpose) {
  return transpose == Transpose::no ? a.columns() : a.rows();
}

template <class T>
void scale_matrix(T beta, MatrixView<T> c) {
  for (Index i = 0; i < c.rows(); ++i) {
    for (T& value : c.row(i)) {
      value = beta == 0 ? T{0} : beta * value;
    }
  }
}

template <class T>
void clear(MatrixView<T> c) {
  for (Index i = 0; i < c.rows(); ++i) {
    std::fill_n(c.row_data(i), c.columns(), T{0});
  }
}

// The lower triangle only.
template <class T>
void scale_lower(T beta, MatrixView<T> c) {
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      c(i, j) = beta == 0 ? T{0} : beta * c(i, j);
    }
  }
}

template <class T>
blasint length(std::span<T> x) {
  return to_blas(static_cast<Index>(x.size()));
}

// Calls piece(begin, count) over pieces that BLAS can address.
template <class Piece>
void in_pieces(std::size_t size, Piece piece) {
  constexpr std::size_t longest = std::size_t{1} << 30;
  for (std::size_t begin = 0; begin < size; begin += longest) {
    piece(begin, static_cast<blasint>(std::min(longest, size - begin)));
  }
}

}  // namespace

// One definition per function and precision; P is the letter of BLAS.
#define MERCER_BLAS(T, P)                                                                                              \
  void gemm(T alpha, ConstMatrixView<T> a, Transpose ta, ConstMatrixView<T> b, Transpose tb, T beta,                   \
            MatrixView<T> c) {                                                                                         \
    assert(op_rows(a, ta) == c.rows() && op_columns(b, tb) == c.columns() && op_columns(a, ta) == op_rows(b, tb));     \
    if (c.empty()) {                                                                                                   \
      return;                                                                                                          \
    }                                                                                                                  \
    if (op_columns(a, ta) == 0) {                                                                                      \
      scale_matrix(beta, c);                                                                                           \
      return;                                                                                                          \
    }                                                                                                                  \
    /* OpenBLAS clears c slowly: for short inner products that took a third of the time. */                            \
    if (beta == 0) {                                                                                                   \
      clear(c);                                                                                                        \
      beta = 1;                                                                                                        \
    }                                                                                                                  \
    cblas_##P##gemm(CblasRowMajor, to_blas(ta), to_blas(tb), to_blas(c.rows()), to_blas(c.columns()),                  \
                    to_blas(op_columns(a, ta)), alpha, a.data(), leading(a), b.data(), leading(b), beta, c.data(),     \
                    leading(c));                                                                                       \
  }                                                                                                                    \
  void syrk(T alpha, ConstMatrixView<T> a, Transpose transpose, T beta, MatrixView<T> c) {                             \
    assert(c.rows() == c.columns() && op_rows(a, transpose) == c.rows());                                              \
    if (c.empty()) {                                                                                                   \
      return;                                                                                                          \
    }                                                                                                                  \
    if (op_columns(a, transpose) == 0) {                                                                               \
      scale_lower(beta, c);                                                                                            \
      return;                                                                                                          \
    }                                                                                                                  \
    cblas_##P##syrk(CblasRowMajor, CblasLower, to_blas(transpose), to_blas(c.rows()),                                  \
                    to_blas(op_columns(a, transpose)), alpha, a.data(), leading(a), beta, c.data(), leading(c));       \
  }                                                                                                                    \
  void symm(Side side, T alpha, ConstMatrixView<T> a, ConstMatrixView<T> b, T beta, MatrixView<T> c) {                 \
    assert(a.rows() == a.columns() && b.rows() == c.rows() && b.columns() == c.columns());                             \
    assert(a.rows() == (side == Side::left ? c.rows() : c.columns()));                                                 \
    if (!c.empty()) {                                                                                                  \
      cblas_##P##symm(CblasRowMajor, to_blas(side), CblasLower, to_blas(c.rows()), to_blas(c.columns()), alpha,        \
                      a.data(), leading(a), b.data(), leading(b), beta, c.data(), leading(c));                         \
    }                                                                                                                  \
  }                                                                                                                    \
  void trsm(Side side, Uplo uplo, Transpose transpose, T alpha, ConstMatrixView<T> l, MatrixView<T> b) {               \
    assert(l.rows() == l.columns() && l.rows() == (side == Side::left ? b.rows() : b.columns()));                      \
    if (!b.empty()) {                                                                                                  \
      cblas_##P##trsm(CblasRowMajor, to_blas(side), to_blas(uplo), to_blas(transpose), CblasNonUnit,                   \
                      to_blas(b.rows()), to_blas(b.columns()), alpha, l.data(), leading(l), b.data(), leading(b));     \
    }                                                                                                                  \
  }                                                                                                                    \
  void trmm(Side side, Uplo uplo, Transpose transpose, T alpha, ConstMatrixView<T> l, MatrixView<T> b) {               \
    assert(l.rows() == l.columns() && l.rows() == (side == Side::left ? b.rows() : b.columns()));                      \
    if (!b.empty()) {                                                                                                  \
      cblas_##P##trmm(CblasRowMajor, to_blas(side), to_blas(uplo), to_blas(transpose), CblasNonUnit,                   \
                      to_blas(b.rows()), to_blas(b.columns()), alpha, l.data(), leading(l), b.data(), leading(b));     \
    }                                                                                                                  \
  }                                                                                                                    \
  void trsv(Uplo uplo, Transpose transpose, ConstMatrixView<T> l, std::span<T> x) {                                    \
    assert(l.rows() == l.columns() && l.rows() == static_cast<Index>(x.size()));                                       \
    if (!x.empty()) {                                                                                                  \
      cblas_##P##trsv(CblasRowMajor, to_blas(uplo), to_blas(transpose), CblasNonUnit, length(x), l.data(), leading(l), \
                      x.data(), 1);                                                                                    \
    }                                                                                                                  \
  }                                                                                                                    \
  void gemv(T alpha, ConstMatrixView<T> a, Transpose transpose, std::span<const T> x, T beta, std::span<T> y) {        \
    assert(op_rows(a, transpose) == static_cast<Index>(y.size()));                                                     \
    assert(op_columns(a, transpose) == static_cast<Index>(x.size()));                                                  \
    if (y.empty()) {                                                                                                   \
      return;                                                                                                          \
    }                                                                                                                  \
    if (x.empty()) {                                                                                                   \
      scale_matrix(beta, MatrixView<T>(y.data(), 1, static_cast<Index>(y.size())));                                    \
      return;                                                                                                          \
    }                                                                                                                  \
    cblas_##P##gemv(CblasRowMajor, to_blas(transpose), to_blas(a.rows()), to_blas(a.columns()), alpha, a.data(),       \
                    leading(a), x.data(), 1, beta, y.data(), 1);                                                       \
  }                                                                                                                    \
  void symv(T alpha, ConstMatrixView<T> a, std::span<const T> x, T beta, std::span<T> y) {                             \
    assert(a.rows() == a.columns() && a.rows() == static_cast<Index>(x.size()) && x.size() == y.size());               \
    if (!y.empty()) {                                                                                                  \
      cblas_##P##symv(CblasRowMajor, CblasLower, length(y), alpha, a.data(), leading(a), x.data(), 1, beta, y.data(),  \
                      1);                                                                                              \
    }                                                                                                                  \
  }                                                                                                                    \
  void ger(T alpha, std::span<const T> x, std::span<const T> y, MatrixView<T> a) {                                     \
    assert(a.rows() == static_cast<Index>(x.size()) && a.columns() == static_cast<Index>(y.size()));                   \
    if (!a.empty()) {                                                                                                  \
      cblas_##P##ger(CblasRowMajor, to_blas(a.rows()), to_blas(a.columns()), alpha, x.data(), 1, y.data(), 1,          \
                     a.data(), leading(a));                                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  T dot(std::span<const T> x, std::span<const T> y) {                                                                  \
    assert(x.size() == y.size());                                                                                      \
    T sum = 0;                                                                                                         \
    in_pieces(x.size(), [&](std::size_t begin, blasint count) {                                                        \
      sum += cblas_##P##dot(count, x.data() + begin, 1, y.data() + begin, 1);                                          \
    });                                                                                                                \
    return sum;                                                                                                        \
  }                                                                                                                    \
  void axpy(T alpha, std::span<const T> x, std::span<T> y) {                                                           \
    assert(x.size() == y.size());                                                                                      \
    in_pieces(x.size(), [&](std::size_t begin, blasint count) {                                                        \
      cblas_##P##axpy(count, alpha, x.data() + begin, 1, y.data() + begin, 1);                                         \
    });                                                                                                                \
  }                                                                                                                    \
  void scale(T alpha, std::span<T> x) {                                                                                \
    in_pieces(x.size(),                                                                                                \
              [&](std::size_t begin, blasint count) { cblas_##P##scal(count, alpha, x.data() + begin, 1); });          \
  }                                                                                                                    \
  T nrm2(std::span<const T> x) {                                                                                       \
    T norm = 0;                                                                                                        \
    in_pieces(x.size(), [&](std::size_t begin, blasint count) {                                                        \
      norm = std::hypot(norm, cblas_##P##nrm2(count, x.data() + begin, 1));                                            \
    });                                                                                                                \
    return norm;                                                                                                       \
  }

MERCER_BLAS(double, d)
MERCER_BLAS(float, s)
#undef MERCER_BLAS

}  // namespace mercer
