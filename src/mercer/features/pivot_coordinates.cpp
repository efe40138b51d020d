#include "mercer/features/pivot_coordinates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/gram/low_rank.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

Matrix<double> PivotCoordinates::coefficients(ConstMatrixView<double> directions) const {
  Matrix<double> result = Matrix<double>::copy_of(directions);
  trsm(Side::left, Uplo::lower, Transpose::yes, 1.0, triangle.view(), result.view());
  return result;
}

PivotCoordinates pivot_coordinates(const Gram<double>& gram, const CoordinateOptions& options, const Run& run) {
  PivotedCholeskyOptions cholesky;
  cholesky.max_rank = std::max<Index>(1, std::min(options.max_rank, gram.size()));
  cholesky.tolerance = options.tolerance;
  cholesky.rule = PivotRule::greedy;
  PivotCoordinates result;
  if (gram.size() == 0) {
    return result;
  }
  const LowRankGram<double> low_rank = LowRankGram<double>::pivoted(gram, cholesky, run);
  result.values = Matrix<double>::copy_of(low_rank.factor());
  result.pivots = low_rank.pivots();
  const std::vector<double>& errors = low_rank.trace_errors();
  result.left_out = errors.front() > 0 ? std::max(0.0, errors.back() / errors.front()) : 0.0;
  const Index r = result.rank();
  result.triangle = Matrix<double>(r, r);
  for (Index i = 0; i < r; ++i) {
    for (Index c = 0; c < r; ++c) {
      result.triangle(i, c) = c <= i ? result.values(result.pivots[i], c) : 0.0;
    }
  }
  return result;
}

CenteredRows centered_rows(ConstMatrixView<double> values, std::span<const double> weights) {
  const auto weight = [&](Index i) { return weights.empty() ? 1.0 : weights[i]; };
  double total = 0;
  CenteredRows result{Matrix<double>(values.rows(), values.columns()), std::vector<double>(values.columns(), 0.0)};
  for (Index i = 0; i < values.rows(); ++i) {
    total += weight(i);
    axpy(weight(i), values.row(i), std::span<double>(result.mean));
  }
  scale(1 / total, std::span<double>(result.mean));
  for (Index i = 0; i < values.rows(); ++i) {
    const double share = std::sqrt(weight(i) / total);
    for (Index c = 0; c < values.columns(); ++c) {
      result.rows(i, c) = share * (values(i, c) - result.mean[c]);
    }
  }
  return result;
}

Matrix<double> cross_product(ConstMatrixView<double> a, ConstMatrixView<double> b, const Run& run) {
  Matrix<double> product(a.columns(), b.columns());
  parallel_gemm<double>(1, a, Transpose::yes, b, Transpose::no, 0, product.view(), run);
  return product;
}

Matrix<double> cross_product(ConstMatrixView<double> a, const Run& run) {
  Matrix<double> product(a.columns(), a.columns());
  parallel_syrk<double>(1, a, Transpose::yes, 0, product.view(), run);
  mirror_lower(product.view(), run);
  return product;
}

void fix_signs(MatrixView<double> directions) {
  for (Index c = 0; c < directions.columns(); ++c) {
    Index largest = 0;
    for (Index i = 1; i < directions.rows(); ++i) {
      // Entries that are equal up to rounding must not decide by chance.
      if (std::abs(directions(i, c)) > (1 + 1e-9) * std::abs(directions(largest, c))) {
        largest = i;
      }
    }
    if (directions.rows() > 0 && directions(largest, c) < 0) {
      for (Index i = 0; i < directions.rows(); ++i) {
        directions(i, c) = -directions(i, c);
      }
    }
  }
}

GeneralizedEigen generalized_eigen(ConstMatrixView<double> a, ConstMatrixView<double> b, Index count, const Run& run) {
  const Index r = a.rows();
  Matrix<double> factor = Matrix<double>::copy_of(b);
  cholesky(factor.view(), run);
  // L⁻¹ A L⁻ᵀ
  Matrix<double> inner = Matrix<double>::copy_of(a);
  trsm(Side::left, Uplo::lower, Transpose::no, 1.0, std::as_const(factor).view(), inner.view());
  trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, std::as_const(factor).view(), inner.view());
  const SymmetricEigen<double> eigen = symmetric_eigen(std::as_const(inner).view(), run);
  const Index kept = std::min(count, r);
  GeneralizedEigen result{{}, Matrix<double>(r, kept)};
  for (Index c = 0; c < kept; ++c) {
    result.values.push_back(eigen.values[r - 1 - c]);
    for (Index i = 0; i < r; ++i) {
      result.vectors(i, c) = eigen.vectors(i, r - 1 - c);
    }
  }
  trsm(Side::left, Uplo::lower, Transpose::yes, 1.0, std::as_const(factor).view(), result.vectors.view());
  return result;
}

}  // namespace mercer
