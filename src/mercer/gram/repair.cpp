#include "mercer/gram/repair.h"

#include <algorithm>
#include <cmath>

#include "mercer/gram/stored_copy.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

Matrix<double> from_spectrum(const SymmetricEigen<double>& eigen, const Run& run) {
  const Index n = eigen.vectors.rows();
  Matrix<double> scaled = Matrix<double>::copy_of(eigen.vectors.view());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      scaled(i, j) *= std::sqrt(eigen.values[j]);
    }
  }
  Matrix<double> k(n, n);
  parallel_syrk<double>(1.0, scaled.view(), Transpose::no, 0.0, k.view(), run);
  mirror_lower(k.view(), run);
  return k;
}

}  // namespace

Matrix<double> repaired(const Gram<double>& gram, SpectrumRepair repair, const Run& run) {
  Matrix<double> k = stored_copy(gram, run);
  const Index n = k.rows();
  if (n == 0) {
    return k;
  }
  if (repair == SpectrumRepair::square) {
    Matrix<double> square(n, n);
    parallel_syrk<double>(1.0, k.view(), Transpose::yes, 0.0, square.view(), run);
    mirror_lower(square.view(), run);
    return square;
  }
  if (repair == SpectrumRepair::shift) {
    const double smallest = symmetric_eigenvalues(k.view(), run).front();
    for (Index i = 0; i < n; ++i) {
      k(i, i) += std::max(0.0, -smallest);
    }
    return k;
  }
  SymmetricEigen<double> eigen = symmetric_eigen(k.view(), run);
  for (double& value : eigen.values) {
    value = repair == SpectrumRepair::clip ? std::max(value, 0.0) : std::abs(value);
  }
  return from_spectrum(eigen, run);
}

}  // namespace mercer
