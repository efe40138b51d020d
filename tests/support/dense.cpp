// The only file of the tests that includes Eigen.
#include "support/dense.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace mercer::oracle {
namespace {

// Every expression goes through this one type, so that no decomposition is instantiated twice.
using Eigen::MatrixXd;

MatrixXd as_eigen(const Dense& a) { return Eigen::Map<const MatrixXd>(a.data(), a.rows(), a.columns()); }

Dense from_eigen(const MatrixXd& a) {
  Dense result(a.rows(), a.cols());
  std::copy_n(a.data(), a.size(), result.data());
  return result;
}

void require(bool holds, const char* what, const Dense& a, const Dense& b) {
  if (!holds) {
    const auto shape = [](const Dense& m) { return std::to_string(m.rows()) + " x " + std::to_string(m.columns()); };
    throw std::logic_error(std::string("Dense: ") + what + " of " + shape(a) + " and " + shape(b));
  }
}
void require_same_shape(const char* what, const Dense& a, const Dense& b) {
  require(a.rows() == b.rows() && a.columns() == b.columns(), what, a, b);
}
void require_square(const char* what, const Dense& a) { require(a.rows() == a.columns(), what, a, a); }

template <class Source>
Dense copied(const Source& source) {
  Dense result(source.rows(), source.columns());
  for (Index i = 0; i < source.rows(); ++i) {
    for (Index j = 0; j < source.columns(); ++j) {
      result(i, j) = static_cast<double>(source(i, j));
    }
  }
  return result;
}

}  // namespace

Dense::Dense(Index rows, Index columns, double value)
    : values_(static_cast<std::size_t>(rows * columns), value), rows_(rows), columns_(columns) {}
Dense::Dense(ConstMatrixView<double> values) : Dense(copied(values)) {}
Dense::Dense(ConstMatrixView<float> values) : Dense(copied(values)) {}
Dense::Dense(const std::vector<double>& column)
    : values_(column), rows_(static_cast<Index>(column.size())), columns_(1) {}
Dense::Dense(const std::vector<float>& column)
    : values_(column.begin(), column.end()), rows_(static_cast<Index>(column.size())), columns_(1) {}

Dense Dense::of_rows(std::initializer_list<std::initializer_list<double>> rows) {
  Dense result(static_cast<Index>(rows.size()), static_cast<Index>(rows.begin()->size()));
  Index i = 0;
  for (const auto& row : rows) {
    result.set_row(i++, Dense(std::vector<double>(row)).transpose());
  }
  return result;
}

Dense Dense::identity(Index n) { return with_diagonal(Dense(n, 1, 1.0)); }

Dense Dense::with_diagonal(const Dense& values) {
  Dense result(values.size(), values.size());
  result.add_to_diagonal(values);
  return result;
}

Dense Dense::evenly_spaced(Index count, double first, double last) {
  return from_eigen(Eigen::VectorXd::LinSpaced(count, first, last));
}

Matrix<double> Dense::matrix() const {
  Matrix<double> result(rows_, columns_);
  for (Index i = 0; i < rows_; ++i) {
    for (Index j = 0; j < columns_; ++j) {
      result(i, j) = (*this)(i, j);
    }
  }
  return result;
}

Dense Dense::block(Index row, Index column, Index rows, Index columns) const {
  Dense result(rows, columns);
  require(row >= 0 && column >= 0 && row + rows <= rows_ && column + columns <= columns_, "block", *this, result);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      result(i, j) = (*this)(row + i, column + j);
    }
  }
  return result;
}

Dense Dense::picked(std::span<const Index> rows, std::span<const Index> columns) const {
  Dense result(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  auto out = result.values_.begin();
  for (const Index j : columns) {
    for (const Index i : rows) {
      *out++ = (*this)(i, j);
    }
  }
  return result;
}

Dense Dense::picked_rows(std::span<const Index> rows) const {
  Dense result(static_cast<Index>(rows.size()), columns_);
  for (Index i = 0; i < result.rows_; ++i) {
    result.set_row(i, row(rows[i]));
  }
  return result;
}

Dense Dense::diagonal() const {
  Dense result(std::min(rows_, columns_), 1);
  for (Index i = 0; i < result.rows_; ++i) {
    result(i) = (*this)(i, i);
  }
  return result;
}

Dense Dense::lower_triangle() const { return from_eigen(as_eigen(*this).triangularView<Eigen::Lower>()); }

Dense Dense::mirrored_lower() const {
  require_square("mirrored triangle", *this);
  return from_eigen(as_eigen(*this).selfadjointView<Eigen::Lower>());
}

void Dense::set_block(Index row, Index column, const Dense& values) {
  require(row >= 0 && column >= 0 && row + values.rows_ <= rows_ && column + values.columns_ <= columns_, "block",
          *this, values);
  for (Index i = 0; i < values.rows_; ++i) {
    for (Index j = 0; j < values.columns_; ++j) {
      (*this)(row + i, column + j) = values(i, j);
    }
  }
}

void Dense::add_to_diagonal(double value) { add_to_diagonal(Dense(std::min(rows_, columns_), 1, value)); }

void Dense::add_to_diagonal(const Dense& values) {
  require(values.size() == std::min(rows_, columns_), "sum of diagonals", *this, values);
  for (Index i = 0; i < values.size(); ++i) {
    (*this)(i, i) += values(i);
  }
}

Dense& Dense::operator+=(const Dense& other) & {
  require_same_shape("sum", *this, other);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i] += other.values_[i];
  }
  return *this;
}

Dense& Dense::operator-=(const Dense& other) & {
  require_same_shape("difference", *this, other);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i] -= other.values_[i];
  }
  return *this;
}

Dense& Dense::operator*=(double factor) & {
  for (double& value : values_) {
    value *= factor;
  }
  return *this;
}

Dense Dense::transpose() const { return from_eigen(as_eigen(*this).transpose()); }

Dense Dense::shifted(double value) const {
  return map([value](double entry) { return entry + value; });
}

double Dense::sum() const { return as_eigen(*this).sum(); }
double Dense::sum_abs() const { return as_eigen(*this).cwiseAbs().sum(); }
double Dense::mean() const { return sum() / static_cast<double>(size()); }
double Dense::trace() const { return diagonal().sum(); }
double Dense::squared_norm() const { return as_eigen(*this).squaredNorm(); }
double Dense::norm() const { return std::sqrt(squared_norm()); }

// A NaN anywhere is the result: no comparison with it may succeed.
double Dense::max() const {
  require(!values_.empty(), "maximum", *this, *this);
  return as_eigen(*this).maxCoeff<Eigen::PropagateNaN>();
}
double Dense::min() const {
  require(!values_.empty(), "minimum", *this, *this);
  return as_eigen(*this).minCoeff<Eigen::PropagateNaN>();
}
double Dense::max_abs() const {
  return values_.empty() ? 0 : as_eigen(*this).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

double Dense::dot(const Dense& other) const {
  const bool both_vectors = std::min(rows_, columns_) == 1 && std::min(other.rows_, other.columns_) == 1;
  require(both_vectors ? size() == other.size() : rows_ == other.rows_ && columns_ == other.columns_, "dot product",
          *this, other);
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  return Vector(data(), size()).dot(Vector(other.data(), size()));
}

bool Dense::all_finite() const { return as_eigen(*this).allFinite(); }

Dense Dense::solve(const Dense& right) const {
  require(rows_ == columns_ && rows_ == right.rows_, "system", *this, right);
  return from_eigen(Eigen::FullPivLU<MatrixXd>(as_eigen(*this)).solve(as_eigen(right)));
}

double Dense::determinant() const {
  require_square("determinant", *this);
  return Eigen::FullPivLU<MatrixXd>(as_eigen(*this)).determinant();
}

Dense Dense::inverse() const {
  require_square("inverse", *this);
  return from_eigen(Eigen::PartialPivLU<MatrixXd>(as_eigen(*this)).inverse());
}

Dense Dense::solve_positive(const Dense& right) const {
  require(rows_ == columns_ && rows_ == right.rows_, "positive system", *this, right);
  return from_eigen(Eigen::LDLT<MatrixXd>(as_eigen(*this)).solve(as_eigen(right)));
}

Dense Dense::cholesky() const {
  require_square("Cholesky factor", *this);
  const Eigen::LLT<MatrixXd> llt(as_eigen(*this));
  require(llt.info() == Eigen::Success, "Cholesky factor that does not exist,", *this, *this);
  return from_eigen(llt.matrixL());
}

double Dense::log_determinant() const {
  return 2 * cholesky().diagonal().map([](double pivot) { return std::log(pivot); }).sum();
}

Dense Dense::eigenvalues() const {
  require_square("eigenvalues", *this);
  return from_eigen(Eigen::SelfAdjointEigenSolver<MatrixXd>(as_eigen(*this), Eigen::EigenvaluesOnly).eigenvalues());
}

EigenDecomposition Dense::eigen() const {
  require_square("eigenvectors", *this);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(as_eigen(*this));
  return {from_eigen(solver.eigenvalues()), from_eigen(solver.eigenvectors())};
}

Dense Dense::orthogonal_factor() const {
  return from_eigen(MatrixXd(Eigen::HouseholderQR<MatrixXd>(as_eigen(*this)).householderQ()));
}

Dense Dense::column_space() const {
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(as_eigen(*this));
  return from_eigen(MatrixXd(qr.householderQ())).first_columns(qr.rank());
}

void Dense::refuse_place(Index i, Index j) const {
  throw std::logic_error("Dense: entry " + std::to_string(i) + ", " + std::to_string(j) + " of " +
                         std::to_string(rows_) + " x " + std::to_string(columns_));
}

Dense operator+(const Dense& a, const Dense& b) {
  Dense sum = a;
  sum += b;
  return sum;
}

Dense operator-(const Dense& a, const Dense& b) {
  Dense difference = a;
  difference -= b;
  return difference;
}

Dense operator*(const Dense& a, const Dense& b) {
  require(a.columns() == b.rows(), "product", a, b);
  return from_eigen(as_eigen(a) * as_eigen(b));
}

Dense operator*(double factor, const Dense& a) {
  return a.map([factor](double value) { return factor * value; });
}
Dense operator*(const Dense& a, double factor) { return factor * a; }

Dense operator/(const Dense& a, double divisor) {
  return a.map([divisor](double value) { return value / divisor; });
}

}  // namespace mercer::oracle
