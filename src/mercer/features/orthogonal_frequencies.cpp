#include "mercer/features/orthogonal_frequencies.h"

#include <algorithm>
#include <vector>

#include "mercer/linalg/blas.h"

namespace mercer {

Matrix<double> orthogonal_normals(RandomStream& random, Index count, Index dimension) {
  Matrix<double> result(count, dimension);
  const MatrixView<double> all = result.view();
  std::vector<double> products;
  for (Index i = 0; i < count; ++i) {
    const Index first = i / dimension * dimension;
    const ConstMatrixView<double> before = all.row_block({first, i});
    const std::span<double> row = all.row(i);
    products.resize(i - first);
    double length = 0;
    while (!(length > 0)) {
      fill_normal(random, row);
      // Once more: after heavy cancellation one pass leaves a part of what it should remove.
      for (int pass = 0; pass < 2 && i > first; ++pass) {
        gemv(1.0, before, Transpose::no, row, 0.0, products);
        gemv(-1.0, before, Transpose::yes, products, 1.0, row);
      }
      length = nrm2(row);
    }
    scale(1 / length, row);
  }
  for (Index i = 0; i < count; ++i) {
    scale(random.chi(static_cast<double>(dimension)), all.row(i));
  }
  return result;
}

}  // namespace mercer
