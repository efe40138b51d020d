#include "mercer/solvers/linear/basis_least_squares.h"

#include <Eigen/Dense>
#include <cmath>

namespace mercer {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>> as_eigen(ConstMatrixView<double> matrix) {
  return {matrix.data(), matrix.rows(), matrix.columns(), Eigen::OuterStride<>(matrix.stride())};
}

Matrix<double> from_eigen(const Eigen::MatrixXd& matrix) {
  Matrix<double> result(matrix.rows(), matrix.cols());
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.columns(); ++j) {
      result(i, j) = matrix(i, j);
    }
  }
  return result;
}

// Columns of unit length, and 1 / length of each; a column of zeros stays. stableNorm: squares may overflow.
Eigen::VectorXd scale_to_unit_length(Eigen::MatrixXd& columns) {
  Eigen::VectorXd scales(columns.cols());
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    const double length = columns.col(j).stableNorm();
    scales(j) = length > 0 ? 1 / length : 1;
    columns.col(j) *= scales(j);
  }
  return scales;
}

using PivotedQr = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;

Eigen::MatrixXd spread_of_full_rank(const PivotedQr& qr, const Eigen::VectorXd& scales) {
  const Eigen::Index k = scales.size();
  const Eigen::MatrixXd inverse =
      qr.matrixR().topRows(k).template triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(k, k));
  return scales.asDiagonal() * (qr.colsPermutation() * inverse);
}

// The columns of (R₁PᵀS⁻¹)ᵀ span where solutions of least norm lie.
Eigen::MatrixXd spread_of_least_norm(const PivotedQr& qr, const Eigen::VectorXd& scales, Eigen::Index rank) {
  Eigen::MatrixXd top = Eigen::MatrixXd::Zero(rank, scales.size());
  top = qr.matrixR().topRows(rank).template triangularView<Eigen::Upper>();
  const Eigen::MatrixXd transposed = scales.cwiseInverse().asDiagonal() * (qr.colsPermutation() * top.transpose());
  const Eigen::HouseholderQR<Eigen::MatrixXd> orthogonal(transposed);
  const Eigen::MatrixXd z = orthogonal.householderQ() * Eigen::MatrixXd::Identity(scales.size(), rank);
  const Eigen::MatrixXd triangle = orthogonal.matrixQR().topRows(rank).template triangularView<Eigen::Upper>();
  // Z T⁻ᵀ = (T⁻¹ Zᵀ)ᵀ
  return triangle.template triangularView<Eigen::Upper>().solve(z.transpose()).transpose();
}

}  // namespace

BasisLeastSquares least_squares_in_basis(ConstMatrixView<double> functions, ConstMatrixView<double> targets,
                                         std::span<const double> weights) {
  Eigen::VectorXd roots(functions.rows());
  for (Eigen::Index i = 0; i < roots.size(); ++i) {
    roots(i) = std::sqrt(weights[i]);
  }
  Eigen::MatrixXd columns = roots.asDiagonal() * as_eigen(functions);
  const Eigen::MatrixXd y = roots.asDiagonal() * as_eigen(targets);
  const Eigen::VectorXd scales = scale_to_unit_length(columns);
  const PivotedQr qr(columns);
  const Eigen::Index rank = qr.rank();
  BasisLeastSquares found{.coefficients = Matrix<double>::filled(functions.columns(), targets.columns(), 0.0),
                          .spread = Matrix<double>(functions.columns(), rank),
                          .rank = rank};
  if (rank == 0) {
    return found;
  }
  const Eigen::MatrixXd spread =
      rank == functions.columns() ? spread_of_full_rank(qr, scales) : spread_of_least_norm(qr, scales, rank);
  const Eigen::MatrixXd rotated = (qr.householderQ().adjoint() * y).topRows(rank);
  found.coefficients = from_eigen(spread * rotated);
  found.spread = from_eigen(spread);
  const Eigen::MatrixXd triangle = qr.matrixR().topRows(rank).template triangularView<Eigen::Upper>();
  const Eigen::VectorXd singular = Eigen::JacobiSVD<Eigen::MatrixXd>(triangle).singularValues();
  found.condition = singular(0) / singular(rank - 1);
  return found;
}

}  // namespace mercer
