#include "mercer/models/orthonormal_columns.h"

#include <algorithm>

#include "mercer/linalg/blas.h"

namespace mercer {

OrthonormalColumns orthonormal_columns(ConstMatrixView<double> a) {
  const Index n = a.rows();
  const Index count = a.columns();
  Matrix<double> rows(count, n);  // of Qᵀ
  OrthonormalColumns result{.q = Matrix<double>(n, count), .r = Matrix<double>::filled(count, count, 0.0)};
  for (Index p = 0; p < count; ++p) {
    const std::span<double> column = rows.view().row(p);
    for (Index i = 0; i < n; ++i) {
      column[i] = a(i, p);
    }
    const double size = nrm2(std::span<const double>(column));
    for (int pass = 0; pass < 2; ++pass) {
      for (Index before = 0; before < p; ++before) {
        const std::span<const double> other = std::as_const(rows).view().row(before);
        const double along = dot(other, std::span<const double>(column));
        axpy(-along, other, column);
        result.r(before, p) += along;
      }
    }
    const double rest = nrm2(std::span<const double>(column));
    result.r(p, p) = rest;
    result.least_rest = std::min(result.least_rest, size > 0 ? rest / size : 0.0);
    scale(rest > 0 ? 1 / rest : 0.0, column);
    for (Index i = 0; i < n; ++i) {
      result.q(i, p) = column[i];
    }
  }
  return result;
}

}  // namespace mercer
