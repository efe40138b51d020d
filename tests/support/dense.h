// Dense: small matrices in double for tests, computed by Eigen and by nothing of the library, so that what a test
// compares with is independent of what it tests. Eigen's templates are instantiated once, in dense.cpp; this header
// costs a test file next to nothing. A vector is a matrix of one column.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"

namespace mercer::oracle {

struct EigenDecomposition;

/// Stored by columns. Sizes that do not fit are a mistake of the test: every operation throws std::logic_error then.
class Dense {
 public:
  Dense() = default;
  Dense(const Dense&) = default;
  Dense(Dense&&) = default;
  ~Dense() = default;
  // Not on temporaries: a.row(i) = b would change nothing; set_row() does.
  Dense& operator=(const Dense&) & = default;
  Dense& operator=(Dense&&) & = default;
  Dense(Index rows, Index columns, double value = 0);
  // Copies; a vector becomes a column. Implicit, so that what the library returns can stand in an expression.
  Dense(ConstMatrixView<double> values);                         // NOLINT(google-explicit-constructor)
  Dense(ConstMatrixView<float> values);                          // NOLINT(google-explicit-constructor)
  Dense(const Matrix<double>& values) : Dense(values.view()) {}  // NOLINT(google-explicit-constructor)
  Dense(const Matrix<float>& values) : Dense(values.view()) {}   // NOLINT(google-explicit-constructor)
  Dense(const std::vector<double>& column);                      // NOLINT(google-explicit-constructor)
  Dense(const std::vector<float>& column);                       // NOLINT(google-explicit-constructor)

  static Dense of_rows(std::initializer_list<std::initializer_list<double>> rows);
  static Dense identity(Index n);
  /// The square matrix with this vector on its diagonal and 0 elsewhere.
  static Dense with_diagonal(const Dense& values);
  /// A column of `count` equidistant values from first to last, both included.
  static Dense evenly_spaced(Index count, double first, double last);

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Index size() const { return rows_ * columns_; }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }
  double& operator()(Index i, Index j) { return values_[place(i, j)]; }
  double operator()(Index i, Index j) const { return values_[place(i, j)]; }
  /// Entry i of a vector, be it a column or a row.
  double& operator()(Index i) { return values_[place(i)]; }
  double operator()(Index i) const { return values_[place(i)]; }
  Matrix<double> matrix() const;

  Dense row(Index i) const { return block(i, 0, 1, columns_); }
  Dense column(Index j) const { return block(0, j, rows_, 1); }
  Dense block(Index row, Index column, Index rows, Index columns) const;
  /// The upper left corner; first(n) of a column: its first n entries.
  Dense first(Index rows, Index columns = 1) const { return block(0, 0, rows, columns); }
  Dense first_columns(Index count) const { return block(0, 0, rows_, count); }
  Dense picked(std::span<const Index> rows, std::span<const Index> columns) const;
  Dense picked_rows(std::span<const Index> rows) const;
  Dense diagonal() const;
  /// Entries above the diagonal become 0.
  Dense lower_triangle() const;
  /// The symmetric matrix with this lower triangle.
  Dense mirrored_lower() const;
  void set_row(Index i, const Dense& values) { set_block(i, 0, values); }
  void set_column(Index j, const Dense& values) { set_block(0, j, values); }
  void set_block(Index row, Index column, const Dense& values);
  void add_to_diagonal(double value);
  void add_to_diagonal(const Dense& values);

  Dense& operator+=(const Dense& other) &;
  Dense& operator-=(const Dense& other) &;
  Dense& operator*=(double factor) &;
  Dense transpose() const;
  /// `value` added to every entry.
  Dense shifted(double value) const;
  /// function(entry) of every entry.
  template <class Function>
  Dense map(Function function) const {
    Dense result = *this;
    for (double& value : result.values_) {
      value = function(value);
    }
    return result;
  }

  double sum() const;
  double sum_abs() const;
  double mean() const;
  double trace() const;
  double max() const;
  double min() const;
  double max_abs() const;
  /// Frobenius.
  double norm() const;
  double squared_norm() const;
  /// Σ_ij a_ij b_ij.
  double dot(const Dense& other) const;
  bool all_finite() const;

  /// By LU with full pivoting; where the matrix is singular, some solution if there is one.
  Dense solve(const Dense& right) const;
  double determinant() const;
  /// By LU with partial pivoting.
  Dense inverse() const;
  /// By LDLᵀ; symmetric and positive (semi)definite matrices.
  Dense solve_positive(const Dense& right) const;
  /// The lower factor L of LLᵀ; throws where a pivot is not positive.
  Dense cholesky() const;
  /// log det by the Cholesky factor.
  double log_determinant() const;
  /// Symmetric matrices (the lower triangle is read): a column of ascending eigenvalues.
  Dense eigenvalues() const;
  EigenDecomposition eigen() const;
  /// The square Q of the Householder QR decomposition.
  Dense orthogonal_factor() const;
  /// An orthonormal basis of what the columns span, as many columns as their rank, by QR with column pivoting.
  Dense column_space() const;

 private:
  std::size_t place(Index i, Index j) const {
    if (i < 0 || i >= rows_ || j < 0 || j >= columns_) {
      refuse_place(i, j);
    }
    return static_cast<std::size_t>(j * rows_ + i);
  }
  std::size_t place(Index i) const {
    if (i < 0 || i >= size() || (rows_ != 1 && columns_ != 1)) {
      refuse_place(i, 0);
    }
    return static_cast<std::size_t>(i);
  }
  [[noreturn]] void refuse_place(Index i, Index j) const;

  std::vector<double> values_;
  Index rows_ = 0;
  Index columns_ = 0;
};

/// A = V diag(values) Vᵀ, values ascending.
struct EigenDecomposition {
  Dense values;
  Dense vectors;
};

Dense operator+(const Dense& a, const Dense& b);
Dense operator-(const Dense& a, const Dense& b);
Dense operator*(const Dense& a, const Dense& b);
Dense operator*(double factor, const Dense& a);
Dense operator*(const Dense& a, double factor);
Dense operator/(const Dense& a, double divisor);

}  // namespace mercer::oracle
