#include "mercer/models/parametric_projection.h"

#include <cmath>
#include <limits>

#include "mercer/base/parallel.h"
#include "mercer/linalg/product.h"

namespace mercer {

Matrix<double> inner(ConstMatrixView<double> a, ConstMatrixView<double> b) {
  auto result = Matrix<double>::filled(a.columns(), b.columns(), 0.0);
  gemm(1.0, a, Transpose::yes, b, Transpose::no, 0.0, result.view());
  return result;
}

template <class T>
Projection project_out(MatrixView<T> k, ConstMatrixView<double> q, PositionOfBasis position, const Run& run) {
  const Index n = k.rows();
  const Matrix<T> basis = converted<T, double>(q);
  Matrix<T> product(n, q.columns());
  parallel_symm<T>(T(1), k, basis.view(), T(0), product.view(), run);
  Matrix<double> g = converted<double, T>(std::as_const(product).view());

  const Matrix<double> core = inner(q, g.view());
  double diagonal = 0;
  double parametric = 0;
  for (Index i = 0; i < n; ++i) {
    diagonal += static_cast<double>(k(i, i));
  }
  for (Index i = 0; i < q.columns(); ++i) {
    parametric += core(i, i);
  }
  // A difference at the level of rounding says nothing: any number of the size of K does then.
  const double size = std::abs(diagonal) + std::abs(parametric);
  const double trace = diagonal - parametric;
  const bool meaningful =
      trace > static_cast<double>(n) * static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
  const double mean = (meaningful ? trace : size > 0 ? size : static_cast<double>(n)) / static_cast<double>(n);
  const double shift = position == PositionOfBasis::inside ? mean : -mean;

  // K − QHᵀ − HQᵀ with H = G − Q(QᵀG + sI)/2, as one product [Q H][H Q]ᵀ.
  auto h = Matrix<double>::copy_of(g.view());
  gemm(-0.5, q, Transpose::no, core.view(), Transpose::no, 1.0, h.view());
  Matrix<T> left(n, 2 * q.columns());
  Matrix<T> right(n, 2 * q.columns());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < q.columns(); ++j) {
      const auto half = static_cast<T>(h(i, j) - 0.5 * shift * q(i, j));
      left(i, j) = right(i, q.columns() + j) = static_cast<T>(q(i, j));
      left(i, q.columns() + j) = right(i, j) = half;
    }
  }
  constexpr Index block = 256;
  parallel_for(run, block_count(n, block), [&](Index b) {
    const IndexRange rows = block_range(n, block, b);
    const IndexRange columns{0, rows.end};
    gemm(T(-1), std::as_const(left).view().row_block(rows), Transpose::no,
         std::as_const(right).view().row_block(columns), Transpose::yes, T(1), k.block(rows, columns));
  });
  return {std::move(g), shift};
}

template Projection project_out(MatrixView<float>, ConstMatrixView<double>, PositionOfBasis, const Run&);
template Projection project_out(MatrixView<double>, ConstMatrixView<double>, PositionOfBasis, const Run&);

}  // namespace mercer
