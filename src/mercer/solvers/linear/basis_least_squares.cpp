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

// V applied to numbers of the rotated rows. By solving, not by V itself: a solution of moderate size may be the difference
// of far larger columns of V.
class Spread {
 public:
  Spread(const PivotedQr& qr, const Eigen::VectorXd& scales) : qr_(qr), scales_(scales), rank_(qr.rank()) {
    if (rank_ == scales.size()) {
      return;
    }
    // The columns of (R₁PᵀS⁻¹)ᵀ span where solutions of least norm lie.
    const Eigen::MatrixXd top = qr.matrixR().topRows(rank_).template triangularView<Eigen::Upper>();
    least_norm_.compute(scales.cwiseInverse().asDiagonal() * (qr.colsPermutation() * top.transpose()));
  }

  Eigen::MatrixXd times(const Eigen::MatrixXd& rotated) const {
    if (rank_ == scales_.size()) {
      return basic(rotated);
    }
    Eigen::MatrixXd solved = Eigen::MatrixXd::Zero(scales_.size(), rotated.cols());
    solved.topRows(rank_) =
        least_norm_.matrixQR().topRows(rank_).template triangularView<Eigen::Upper>().transpose().solve(rotated);
    solved = least_norm_.householderQ() * solved;
    // Reflections leave errors relative to the largest coefficient in all of them. One step of refinement in the chosen
    // columns alone, each in its own unit, takes them out and changes the norm by no more than rounding.
    const Eigen::MatrixXd reached =
        qr_.matrixR().topRows(rank_).template triangularView<Eigen::Upper>() *
        (qr_.colsPermutation().transpose() * (scales_.cwiseInverse().asDiagonal() * solved));
    return solved + basic(rotated - reached);
  }

 private:
  // The solution in the first `rank` pivots; the other coefficients are 0.
  Eigen::MatrixXd basic(const Eigen::MatrixXd& rotated) const {
    Eigen::MatrixXd solved = Eigen::MatrixXd::Zero(scales_.size(), rotated.cols());
    solved.topRows(rank_) =
        qr_.matrixR().topLeftCorner(rank_, rank_).template triangularView<Eigen::Upper>().solve(rotated);
    return scales_.asDiagonal() * (qr_.colsPermutation() * solved);
  }

  const PivotedQr& qr_;
  const Eigen::VectorXd& scales_;
  Eigen::Index rank_;
  Eigen::HouseholderQR<Eigen::MatrixXd> least_norm_;
};

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
  const Spread spread(qr, scales);
  const Eigen::MatrixXd rotated = (qr.householderQ().adjoint() * y).topRows(rank);
  found.coefficients = from_eigen(spread.times(rotated));
  found.spread = from_eigen(spread.times(Eigen::MatrixXd::Identity(rank, rank)));
  const Eigen::MatrixXd triangle = qr.matrixR().topRows(rank).template triangularView<Eigen::Upper>();
  const Eigen::VectorXd singular = Eigen::JacobiSVD<Eigen::MatrixXd>(triangle).singularValues();
  found.condition = singular(0) / singular(rank - 1);
  return found;
}

}  // namespace mercer
