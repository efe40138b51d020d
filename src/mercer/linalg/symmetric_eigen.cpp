#include "mercer/linalg/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/lapack.h"

namespace mercer {

namespace {

void lapack_syevd(const char* job, int n, double* a, double* w, double* work, int lwork, int* iwork, int liwork,
                  int* info) {
  dsyevd_(job, "U", &n, a, &n, w, work, &lwork, iwork, &liwork, info, 1, 1);
}
void lapack_syevd(const char* job, int n, float* a, float* w, float* work, int lwork, int* iwork, int liwork,
                  int* info) {
  ssyevd_(job, "U", &n, a, &n, w, work, &lwork, iwork, &liwork, info, 1, 1);
}

// The lower triangle, packed row after row of a square; what stands above the diagonal is never read.
template <class T>
Matrix<T> copy_lower(ConstMatrixView<T> a) {
  Matrix<T> copy(a.rows(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.rows(); ++j) {
      copy(i, j) = j <= i ? a(i, j) : T{0};
      if (!std::isfinite(copy(i, j))) {
        throw NumericalError("the matrix has an entry that is not finite at row " + std::to_string(i) + ", column " +
                             std::to_string(j) + " (from 0): no eigenvalues");
      }
    }
  }
  return copy;
}

template <class T>
std::vector<T> decompose(Matrix<T>& a, const char* job) {
  // LAPACK counts its workspace, 2 n^2 and more, in 32 bits.
  if (a.rows() > 32000) {
    throw InvalidArgument("a full eigendecomposition of order " + std::to_string(a.rows()) +
                          " exceeds what LAPACK can address (32000): ask for the leading eigenpairs instead");
  }
  const int n = static_cast<int>(a.rows());
  std::vector<T> values(n);
  if (n == 0) {
    return values;
  }
  int info = 0;
  T work_size = 0;
  int integer_size = 0;
  lapack_syevd(job, n, a.data(), values.data(), &work_size, -1, &integer_size, -1, &info);
  // In single precision the size comes back rounded.
  const double margin = 1 + 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  Buffer<T> work(static_cast<Index>(static_cast<double>(work_size) * margin) + 1);
  Buffer<int> integers(integer_size);
  lapack_syevd(job, n, a.data(), values.data(), work.data(), static_cast<int>(work.size()), integers.data(),
               integer_size, &info);
  if (info != 0) {
    throw NumericalError("the eigenvalue iteration did not converge (LAPACK syevd info " + std::to_string(info) + ")");
  }
  return values;
}

template <class T>
void transpose_in_place(MatrixView<T> a) {
  constexpr Index square = 32;
  for (Index rows = 0; rows < a.rows(); rows += square) {
    for (Index columns = 0; columns <= rows; columns += square) {
      for (Index i = rows; i < std::min(rows + square, a.rows()); ++i) {
        for (Index j = columns; j < std::min(columns + square, i); ++j) {
          std::swap(a(i, j), a(j, i));
        }
      }
    }
  }
}

template <class T>
SymmetricEigen<T> eigen_of(ConstMatrixView<T> a, const Run& run) {
  run.check_stop();
  SymmetricEigen<T> result;
  result.vectors = copy_lower(a);
  result.values = decompose(result.vectors, "V");
  transpose_in_place(result.vectors.view());  // LAPACK's columns are our rows
  return result;
}

template <class T>
std::vector<T> eigenvalues_of(ConstMatrixView<T> a, const Run& run) {
  run.check_stop();
  Matrix<T> copy = copy_lower(a);
  return decompose(copy, "N");
}

}  // namespace

SymmetricEigen<double> symmetric_eigen(ConstMatrixView<double> a, const Run& run) { return eigen_of(a, run); }
SymmetricEigen<float> symmetric_eigen(ConstMatrixView<float> a, const Run& run) { return eigen_of(a, run); }
std::vector<double> symmetric_eigenvalues(ConstMatrixView<double> a, const Run& run) { return eigenvalues_of(a, run); }
std::vector<float> symmetric_eigenvalues(ConstMatrixView<float> a, const Run& run) { return eigenvalues_of(a, run); }

}  // namespace mercer
