#include "mercer/models/parametric_basis.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/expansion/parametric_functions.h"

namespace mercer {

namespace {

// Columns of very different sizes are as independent as columns of one: what depends on others is judged by angles. Powers
// of two change no digit.
void scale_to_unit(Eigen::MatrixXd& columns, std::vector<double>& scales) {
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    const double size = columns.col(j).lpNorm<Eigen::Infinity>();
    scales.push_back(size > 0 ? std::exp2(-std::clamp(std::floor(std::log2(size)), -1000.0, 1000.0)) : 1.0);
    columns.col(j) *= scales.back();
  }
}

}  // namespace

ParametricBasis::ParametricBasis(const Samples& samples, const ParametricPart& part) {
  const Index n = samples.size();
  if (part.is_none()) {
    q_ = Matrix<double>(n, 0);
    return;
  }
  parametric_rows_ = 1;
  if (part.is_constant()) {
    const double length = std::sqrt(static_cast<double>(n));
    q_ = Matrix<double>::filled(n, 1, 1 / length);
    r_ = Matrix<double>::filled(1, 1, length);
    columns_ = {0};
    return;
  }
  const ParametricFunctions evaluated(part, samples);
  const Index functions = evaluated.count();
  parametric_rows_ = functions;
  Matrix<double> values(n, functions);
  evaluated.values({0, n}, values.view());
  Eigen::MatrixXd t(n, functions);
  t.col(0).setOnes();
  for (Index j = 1; j < functions; ++j) {
    for (Index i = 0; i < n; ++i) {
      t(i, j) = values(i, j);
    }
    means_.push_back(t.col(j).mean());
    t.col(j).array() -= means_.back();
    const double deviation = t.col(j).norm() / std::sqrt(static_cast<double>(n));
    if (deviation > 1e-15 * std::abs(means_.back())) {
      farthest_mean_ = std::max(farthest_mean_, std::abs(means_.back()) / deviation);
    } else {
      t.col(j).setZero();  // a constant, and what rounding left of it
    }
  }
  scale_to_unit(t, scales_);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(t);
  // Far from the origin the columns themselves are rounded by more than the factorization rounds: what is left of a
  // dependent one is noise of that size.
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  qr.setThreshold(rounding * std::max(static_cast<double>(qr.matrixQR().diagonalSize()), 8 * farthest_mean_));
  const Index rank = qr.rank();
  const Eigen::MatrixXd basis = qr.householderQ() * Eigen::MatrixXd::Identity(n, rank);
  q_ = Matrix<double>(n, rank);
  r_ = Matrix<double>(rank, rank);
  for (Index k = 0; k < rank; ++k) {
    for (Index i = 0; i < n; ++i) {
      q_(i, k) = basis(i, k);
    }
    for (Index i = 0; i < rank; ++i) {
      r_(i, k) = i <= k ? qr.matrixQR()(i, k) : 0.0;
    }
    columns_.push_back(qr.colsPermutation().indices()(k));
  }
}

std::string ParametricBasis::dependence() const {
  const Index dependent = parametric_rows_ - q_.columns();
  if (dependent == 0) {
    return {};
  }
  return std::to_string(dependent) + " of the " + std::to_string(parametric_rows_) +
         " parametric functions depend on the others on these rows (constant or repeated columns, too few rows): their "
         "coefficients are 0";
}

Matrix<double> ParametricBasis::parametric_coefficients(ConstMatrixView<double> gamma) const {
  const Index outputs = gamma.columns();
  auto beta = Matrix<double>::filled(parametric_rows_, outputs, 0.0);
  for (Index o = 0; o < outputs; ++o) {
    for (Index k = q_.columns() - 1; k >= 0; --k) {
      double rest = gamma(k, o);
      for (Index l = k + 1; l < q_.columns(); ++l) {
        rest -= r_(k, l) * beta(columns_[l], o);
      }
      beta(columns_[k], o) = rest / r_(k, k);
    }
    for (std::size_t j = 0; j < scales_.size(); ++j) {
      beta(static_cast<Index>(j), o) *= scales_[j];
    }
    for (std::size_t j = 0; j < means_.size(); ++j) {
      beta(0, o) -= means_[j] * beta(static_cast<Index>(j) + 1, o);
    }
  }
  return beta;
}

}  // namespace mercer
